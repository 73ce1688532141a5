import { useQueryClient } from "@tanstack/react-query";
import { useRef, type ReactNode } from "react";
import { Link, useLocation } from "wouter";

import { deleteRun, type RunState } from "../api/client";
import { EMPTY } from "../ask/start-choices";
import { ConfirmDelete } from "../parts/dialog/confirm-delete";
import type { DialogHandle } from "../parts/dialog/dialog";
import { keepDraft } from "../parts/hooks/draft";
import { useWords } from "../strings";

/** The notice of phases that an earlier report made needless. */
const REUSED = "run-answered";

/** How a run ends that can be repeated. */
const WHOLE = new Set(["completed", "partial"]);

/** What one may do to a run that has ended, as a whole; where its report is read, what one does with that. */
export function EndedActions({ state, reading }: { state: RunState; reading: ReactNode }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const notices = state.phases.flatMap((phase) => phase.notices);

  /** Ask the question again without reusing results: the start page shows price and consent. */
  function askAnew() {
    keepDraft("ask", state.query);
    keepDraft("ask.how", state.definition_id);
    const collections = state.collections.filter((one) => !one.replaces_web).map(({ name }) => name);
    keepDraft("ask.choices", { ...EMPTY, inputs: state.inputs, collections, fresh: true });
    navigate("/");
  }

  return (
    <div className="controls row">
      {notices.some(({ code }) => code === REUSED) && (
        <button type="button" onClick={askAnew}>
          {t("run.anew")}
        </button>
      )}
      {reading || (
        <>
          {WHOLE.has(state.status) && (
            <Link className="button quiet" href={`/schedules?run=${state.run_id}`}>
              {t("schedules.repeat")}
            </Link>
          )}
          <DeleteRun id={state.run_id} />
        </>
      )}
    </div>
  );
}

/** Removes a run for good, after a question. */
function DeleteRun({ id }: { id: string }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const question = useRef<DialogHandle>(null);
  async function leave() {
    navigate("/runs"); // until its view is loaded this one stays, and would ask again for a state that is removed
    await queries.invalidateQueries({ queryKey: ["runs"] });
  }
  return (
    <>
      <button type="button" className="quiet danger" onClick={() => question.current?.open()}>
        {t("run.delete")}
      </button>
      <ConfirmDelete
        handle={question}
        title={t("run.delete.title")}
        text={t("run.delete.text")}
        yes={t("run.delete.yes")}
        onDelete={() => deleteRun(id)}
        onGone={leave}
      />
    </>
  );
}
