/** The decision: what is decided on, what it costs, and what one may say to it. */

import { useContext, useEffect, useRef, useState, type ReactNode } from "react";

import { findPlan, Problem, type Checkpoint, type Plan, type RunState } from "../api/client";
import { useDraft } from "../parts/hooks/draft";
import { ONE_COLUMN, useMedia } from "../parts/hooks/media";
import { ErrorNotice } from "../parts/notices";
import { showAboveSheet } from "../parts/scrolling/show-above-sheet";
import { putCaretAtEnd } from "../parts/text/caret";
import { findNote } from "../read/report/document";
import { NotePanel } from "../read/report/note-panel";
import type { Sent } from "../run-state/outcome";
import { HoldContext } from "../run-state/undoable-decision-context";
import { useWords } from "../strings";
import { Asks } from "./asks";
import { EditActions, ReadActions, RejectActions, ReviseActions } from "./decision-buttons";
import "./approve.css";
import { BudgetActions } from "./subjects/budget";
import { Consequence } from "./consequence";
import { DecisionTerms, KeepStartup } from "./price-and-terms";
import { FailedStep, findFailedStep } from "./subjects/failed-step";
import { findModifications, isAboutFields, joinSearches, placeProblems } from "./plan/plan";
import { PlanChanges } from "./plan/plan-changes";
import { PlanEditor } from "./plan/plan-editor";
import { StepsPace } from "./plan/steps-pace";
import { SentBack } from "./subjects/sent-back";
import type { ShownNote } from "./subjects/subject-text";
import { nameActions, Outputs, SubjectView } from "./subjects/subject-view";
import { useDecision } from "./use-decision";

interface Given {
  state: RunState;
  checkpoint: Checkpoint;
  /** The change just sent has replaced the plan, which is not approved yet. */
  isAskedAnew: boolean;
  onSent: (sent: Sent | undefined) => void;
}

/** What one is about to do: read, or one of the things that take more than a press. */
type Mode = "read" | "edit" | "revise" | "reject";

export default function ApproveView({ state, checkpoint, isAskedAnew, onSent }: Given) {
  const { t } = useWords();
  const { subject, choices = [], changed = [], done_steps: done = [], differences } = checkpoint;
  const plan = findPlan(checkpoint);
  const draft = `${state.run_id}.${checkpoint.checkpoint_id}.${checkpoint.plan_hash ?? ""}`;
  const [edited, setEdited, forgetEdited] = useDraft<Plan | null>(draft, null);
  const [feedback, setFeedback, forgetFeedback] = useDraft(`${draft}.feedback`, "");
  const isInInbox = useContext(HoldContext) !== null; // the list has the column at the side
  const isStacked = useMedia(ONE_COLUMN) || isInInbox;
  const [mode, setMode] = useState<Mode>(edited ? "edit" : feedback ? "revise" : "read");
  const [keeps, setKeeps] = useState(checkpoint.keep_startup ?? null);
  const [shown, setShown] = useState<ShownNote | null>(null);
  const [sent, setSent] = useState<Plan | null>(null);
  const [asksAnew] = useState(isAskedAnew); // announce it only once, for any number of renderings
  const frame = useFocusAt(mode, asksAnew);
  useEffect(() => {
    if (asksAnew) onSent(undefined);
  }, [asksAnew, onSent]);
  const { isPending, error, decide } = useDecision({
    state,
    checkpoint,
    keeps,
    onSent,
    onDone: () => {
      forgetEdited();
      forgetFeedback();
    },
  });
  useEffect(() => {
    if (shown?.opener) showAboveSheet(shown.opener);
  }, [shown]);
  useEffect(() => {
    if (error) frame.current?.querySelector(".plan-editor .wrong")?.scrollIntoView({ block: "center" });
  }, [error, frame]);

  function begin(next: Mode) {
    setMode(next);
    if (next === "edit" && plan) setEdited(edited ?? joinSearches(plan));
    if (next === "read") setEdited(null);
  }

  const failed = findFailedStep(checkpoint);
  const modifications = plan && edited ? findModifications(plan, edited) : {};
  const changes = Object.keys(modifications).length;
  const wrong = error && sent && edited ? placeProblems(error, sent, edited) : [];
  const at = { runId: state.run_id, checkpointId: checkpoint.checkpoint_id, shown, onNote: setShown };
  const called = nameActions(t, subject, failed !== null);
  const terms = (
    <DecisionTerms
      state={state}
      checkpoint={checkpoint}
      plan={mode === "edit" && edited ? edited : plan}
      isFolded={isStacked}
      onDepth={mode === "read" && !isPending ? (depth) => decide({ action: "modify", modifications: { depth } }) : null}
    />
  );
  const facts = isStacked && subject?.type === "plan" && !shown && mode !== "edit" ? terms : null;
  const acts = { called, isPending, onDecide: decide };
  const goes = { ...acts, back: t(subject?.type === "plan" ? "approve.back.plan" : "approve.back") };
  const actions: Record<Mode, () => ReactNode> = {
    read: () =>
      subject?.type === "budget" ? (
        <BudgetActions {...acts} subject={subject} onStop={() => begin("reject")} />
      ) : (
        <ReadActions {...acts} {...{ state, checkpoint, plan, failed }} onBegin={begin} />
      ),
    edit: () => (
      <EditActions
        {...goes}
        {...{ modifications, changes }}
        onSend={() => setSent(edited)}
        onBack={() => begin("read")}
      />
    ),
    revise: () => <ReviseActions {...goes} feedback={feedback} onBack={() => begin("read")} />,
    reject: () => <RejectActions {...goes} onBack={() => begin("read")} />,
  };
  return (
    <div className="approve" ref={frame} data-subject={subject?.type} data-noted={shown ? true : undefined}>
      <div className="sheet card">
        {failed && <FailedStep failed={failed} />}
        {checkpoint.message && (!failed || changed.length > 0) && <Asks checkpoint={checkpoint} isAnew={asksAnew} />}
        {checkpoint.sent_back && <SentBack {...checkpoint.sent_back} />}
        {differences && subject?.type === "plan" && mode !== "edit" && <PlanChanges changes={differences} />}
        {mode === "edit" && edited ? (
          <PlanEditor plan={edited} done={done} problems={wrong} onChange={setEdited} />
        ) : (
          subject && (
            <SubjectView
              {...at}
              subject={subject}
              pace={<StepsPace state={state} />}
              facts={facts}
              question={state.query}
              differences={differences ?? null}
              files={state.files}
              choices={choices}
              busy={isPending}
              onChoose={({ action, label }) => decide({ action, choice: label })}
            />
          )
        )}
        {checkpoint.context.length > 0 && (
          <details className="context">
            <summary>{t("approve.context")}</summary>
            <Outputs {...at} outputs={checkpoint.context} />
          </details>
        )}
      </div>
      {shown ? (
        <aside className="beside scrolls">
          <NotePanel
            key={shown.note.number}
            runId={state.run_id}
            note={shown.note}
            onNote={(number) => {
              const note = findNote(shown.note.document, number);
              if (note) setShown({ ...shown, note });
            }}
            onClose={() => {
              setShown(null);
              shown.opener?.focus(); // where one was reading
            }}
          />
        </aside>
      ) : (
        !facts && terms
      )}
      <div className="foot bottom-bar">
        {error && !isAboutFields(error) && <ErrorNotice error={error} />}
        {wrong.length > 0 && <ErrorNotice error={new Problem("modification", "")} />}
        {mode === "revise" && (
          <label className="field">
            <span>{t("approve.revise.label")}</span>
            <textarea
              autoFocus
              ref={putCaretAtEnd}
              rows={2}
              value={feedback}
              placeholder={called.hint}
              onChange={(event) => setFeedback(event.target.value)}
              onKeyDown={({ key, ctrlKey, metaKey }) => {
                if (key !== "Enter" || !(ctrlKey || metaKey) || isPending || !feedback.trim()) return;
                decide({ action: "revise", feedback: feedback.trim() });
              }}
            />
          </label>
        )}
        {keeps !== null && <KeepStartup kept={keeps} onChange={setKeeps} />}
        <p className="anew" role="status">
          {changes > 0 && !state.offline && t("approve.anew")}
        </p>
        <div className="goes">
          {isPending && (
            <p className="consequence" role="status">
              {t("approve.awaited")}
            </p>
          )}
          {!isPending && mode === "revise" && <p className="consequence">{t("approve.consequence.revise")}</p>}
          {!isPending && (mode === "read" || mode === "edit") && (
            <Consequence
              state={state}
              checkpoint={checkpoint}
              plan={mode === "edit" && edited ? edited : plan}
              isPriced={!facts}
            />
          )}
          {actions[mode]()}
        </div>
      </div>
    </div>
  );
}

/** Focus the part that a button opened, and the button after closing it; scroll to a decision that is asked again. */
function useFocusAt(mode: Mode, isAskedAnew: boolean) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isAskedAnew) return;
    frame.current?.querySelector<HTMLElement>(".asks")?.focus({ preventScroll: true });
    frame.current?.scrollIntoView();
  }, [isAskedAnew]);
  const before = useRef(mode);
  useEffect(() => {
    const was = before.current;
    before.current = mode;
    if (was === mode) return;
    const place = mode === "edit" ? ".plan-editor textarea" : mode === "read" ? `[data-mode="${was}"]` : null;
    if (place) frame.current?.querySelector<HTMLElement>(place)?.focus();
  }, [mode]);
  return frame;
}
