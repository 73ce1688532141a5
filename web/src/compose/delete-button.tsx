import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useLocation } from "wouter";

import { deleteDefinition, Problem, type Definition } from "../api/client";
import { Dialog, type DialogHandle } from "../parts/dialog/dialog";
import { ErrorNotice } from "../parts/notices";
import { useWords } from "../strings";
import type { History } from "./definition/history";

/** Deletes the version that was seen, after a question; runs that go on are a second one. */
export function DeleteButton({ definition, history }: { definition: Definition; history: History }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const question = useRef<DialogHandle>(null);
  const gone = useMutation({
    mutationFn: (force: boolean) => deleteDefinition(definition.id, history.version, force),
    async onSuccess() {
      history.forget();
      navigate("/compose");
      queries.removeQueries({ queryKey: ["definition", definition.id] });
      await queries.invalidateQueries({ queryKey: ["definitions"] });
    },
  });
  const isInUse = gone.error instanceof Problem && gone.error.status === 409;
  return (
    <>
      <button type="button" className="link danger" onClick={() => question.current?.open()}>
        {t("compose.delete")}
      </button>
      <Dialog title={t("compose.delete.title", { title: definition.title || definition.id })} handle={question}>
        <p>{t("compose.delete.text")}</p>
        {gone.error && <ErrorNotice error={gone.error} />}
        <div className="actions">
          <button type="button" className="danger" disabled={gone.isPending} onClick={() => gone.mutate(isInUse)}>
            {t(isInUse ? "compose.delete.force" : "compose.delete.yes")}
          </button>
          <button type="button" onClick={() => question.current?.close()}>
            {t("state.cancel")}
          </button>
        </div>
      </Dialog>
    </>
  );
}
