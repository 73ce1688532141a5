/** The buttons at the foot of a decision, by what one is about to do. */

import { useRef } from "react";

import type { Checkpoint, Decide, Plan, RunState } from "../api/client";
import { Dialog, type DialogHandle } from "../parts/dialog/dialog";
import { Notice } from "../parts/notices";
import { useWords } from "../strings";
import { ActionBar } from "./button-layout";
import type { Failed } from "./subjects/failed-step";
import type { nameActions } from "./subjects/subject-view";

interface Acts {
  called: ReturnType<typeof nameActions>;
  isPending: boolean;
  onDecide: (decision: Decide) => void;
}

interface Goes extends Acts {
  /** What going back is called. */
  back: string;
  onBack: () => void;
}

interface ReadGiven extends Acts {
  state: RunState;
  checkpoint: Checkpoint;
  plan: Plan | null;
  failed: Failed | null;
  onBegin: (mode: "edit" | "revise" | "reject") => void;
}

/** All that may be decided, or begun. */
export function ReadActions({ called, isPending, onDecide, state, checkpoint, plan, failed, onBegin }: ReadGiven) {
  const { t, usd } = useWords();
  const { subject, choices = [], options = [] } = checkpoint;
  const onCards = subject?.type === "ideas" ? subject.ideas.map(({ idea }) => idea.title) : [];
  const may = (action: string) => options.includes(action);
  const isPriced = plan && subject?.type === "plan" && !state.offline;
  const approve = isPriced ? t("approve.approve.price", { top: usd(plan.estimated_cost.top_usd) }) : called.approve;
  const picks = choices.filter(({ label }) => !onCards.includes(label));
  const approves = may("approve") && choices.length === 0;
  const primary = approves ? (
    <button type="button" className="primary" disabled={isPending} onClick={() => onDecide({ action: "approve" })}>
      {approve}
    </button>
  ) : picks.length > 0 ? (
    picks.map(({ action, label }) => (
      <button
        key={label}
        type="button"
        className={action === "reject" ? "danger" : "primary"}
        disabled={isPending}
        onClick={() => onDecide({ action, choice: label })}
      >
        {label}
      </button>
    ))
  ) : null;
  const revise = may("revise") && (
    <button
      type="button"
      data-mode="revise"
      className={failed && !may("approve") ? "primary" : undefined}
      disabled={isPending}
      onClick={() => onBegin("revise")}
    >
      {called.revise}
    </button>
  );
  return (
    <ActionBar
      primary={primary}
      others={
        <>
          {may("modify") && plan && (
            <button type="button" data-mode="edit" disabled={isPending} onClick={() => onBegin("edit")}>
              {t("approve.edit")}
            </button>
          )}
          {revise}
          {may("reject") && (
            <button
              type="button"
              data-mode="reject"
              className="danger"
              disabled={isPending}
              onClick={() => onBegin("reject")}
            >
              {called.reject}
            </button>
          )}
        </>
      }
    />
  );
}

interface EditGiven extends Goes {
  modifications: Partial<Plan>;
  changes: number;
  onSend: () => void;
}

/** To approve with one's changes, or to drop them, after a question. */
export function EditActions({ isPending, onDecide, back, onBack, modifications, changes, onSend }: EditGiven) {
  const { t } = useWords();
  const dropping = useRef<DialogHandle>(null);
  return (
    <div className="actions">
      <button
        type="button"
        className="primary"
        disabled={isPending || changes === 0}
        onClick={() => {
          onSend();
          onDecide({ action: "modify", modifications: takeOver(modifications) });
        }}
      >
        {t(changes === 0 ? "approve.modify.none" : "approve.modify", { n: changes })}
      </button>
      <button type="button" onClick={() => (changes === 0 ? onBack() : dropping.current?.open())}>
        {changes === 0 ? back : t("approve.modify.drop")}
      </button>
      <Dialog title={t("approve.drop.title")} handle={dropping}>
        <p>{t("approve.drop.text")}</p>
        <div className="actions">
          <button type="button" className="danger" onClick={onBack}>
            {t("approve.drop.yes")}
          </button>
          <button type="button" onClick={() => dropping.current?.close()}>
            {t("approve.drop.no")}
          </button>
        </div>
      </Dialog>
    </div>
  );
}

/** The one list of searches replaces both that a plan has. */
const takeOver = (changes: Partial<Plan>): NonNullable<Decide["modifications"]> => ({
  ...changes,
  ...(changes.search_terms && { expanded_queries: [] }),
});

/** To ask for what was written, or to go back. */
export function ReviseActions({ called, isPending, onDecide, back, onBack, feedback }: Goes & { feedback: string }) {
  return (
    <div className="actions">
      <button
        type="button"
        className="primary"
        disabled={isPending || !feedback.trim()}
        onClick={() => onDecide({ action: "revise", feedback: feedback.trim() })}
      >
        {called.send}
      </button>
      <button type="button" onClick={onBack}>
        {back}
      </button>
    </div>
  );
}

/** To reject, once one is sure. */
export function RejectActions({ called, isPending, onDecide, back, onBack }: Goes) {
  return (
    <>
      <Notice kind="wait">{called.sure}</Notice>
      <div className="actions">
        <button type="button" className="danger" disabled={isPending} onClick={() => onDecide({ action: "reject" })}>
          {called.yes}
        </button>
        <button type="button" autoFocus onClick={onBack}>
          {back}
        </button>
      </div>
    </>
  );
}
