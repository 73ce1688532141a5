/** The decision: what is decided on, what it costs, and what one may say to it. */

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import {
  decide,
  findPlan,
  Problem,
  type Checkpoint,
  type Choice,
  type Decide,
  type Plan,
  type RunState,
} from "../api/client";
import { Dialog, type DialogHandle } from "../parts/dialog";
import { useDraft } from "../parts/draft";
import { ErrorNotice, Notice } from "../parts/notices";
import { findNote } from "../read/document";
import { NotePanel } from "../read/note-panel";
import type { Sent } from "../run-state/outcome";
import { useWords, type Key } from "../strings";
import "./approve.css";
import { DecisionTerms } from "./decision-terms";
import { FailedStep, findFailedStep } from "./failed-step";
import { KeepStartup } from "./keep-startup";
import { findModifications, isAboutFields, joinSearches, placeProblems } from "./plan";
import { PlanChanges } from "./plan-changes";
import { PlanEditor } from "./plan-editor";
import type { ShownNote } from "./subject-text";
import { nameActions, Outputs, SubjectView } from "./subject-view";

interface Given {
  state: RunState;
  checkpoint: Checkpoint;
  /** The plan is another one by what was just sent here: so it is not approved yet. */
  isAskedAnew: boolean;
  onSent: (sent: Sent | undefined) => void;
}

type Mode = "read" | "edit" | "revise" | "reject";

export default function ApproveView({ state, checkpoint, isAskedAnew, onSent }: Given) {
  const { t, say, usd } = useWords();
  const { subject } = checkpoint;
  const plan = findPlan(checkpoint);
  const draftName = `${state.run_id}.${checkpoint.checkpoint_id}.${checkpoint.plan_hash ?? ""}`;
  const [edited, setEdited, forget] = useDraft<Plan | null>(draftName, null);
  const [feedback, setFeedback, forgetFeedback] = useDraft(`${draftName}.feedback`, "");
  const offersKeep = typeof checkpoint.keep_startup === "boolean";
  const [isKept, setKept] = useState(checkpoint.keep_startup ?? false);
  const [mode, setMode] = useState<Mode>(edited ? "edit" : feedback ? "revise" : "read");
  const [shown, setShown] = useState<ShownNote | null>(null);
  const [sent, setSent] = useState<Plan | null>(null);
  const [asksAnew] = useState(isAskedAnew); // however often it is drawn, it was said once
  const frame = useFocusAt(mode, asksAnew);
  useEffect(() => {
    if (asksAnew) onSent(undefined);
  }, [asksAnew, onSent]);
  const isSending = useRef(false); // a second click comes before the buttons are drawn as disabled
  const send = useMutation({
    mutationFn: (decision: Decide) =>
      decide(state.run_id, {
        checkpoint_id: checkpoint.checkpoint_id,
        ...(checkpoint.plan_hash ? { plan_hash: checkpoint.plan_hash } : {}),
        ...(offersKeep && (decision.action === "approve" || decision.action === "modify")
          ? { keep_startup: isKept }
          : {}),
        ...decision,
      }),
    onMutate: ({ action }) => onSent({ checkpoint, isChange: action === "modify" }),
    onError: () => onSent(undefined),
    onSettled: () => {
      isSending.current = false;
    },
    onSuccess: () => {
      forget();
      forgetFeedback();
    },
  });
  const submit = (decision: Decide) => {
    if (isSending.current) return;
    isSending.current = true;
    send.mutate(decision);
  };
  const choices = checkpoint.choices ?? [];
  const onCards = subject?.type === "ideas" ? subject.ideas.map(({ idea }) => idea.title) : [];
  const below = choices.filter(({ label }) => !onCards.includes(label));
  const may = (action: string) => (checkpoint.options ?? []).includes(action);
  const failed = findFailedStep(checkpoint);
  const called = nameActions(t, subject, failed !== null);
  const modifications = plan && edited ? findModifications(plan, edited) : {};
  const changes = Object.keys(modifications).length;
  const wrong = send.error && sent && edited ? placeProblems(send.error, sent, edited) : [];
  const busy = send.isPending;
  const back: Key = subject?.type === "plan" ? "approve.back.plan" : "approve.back";
  const dropping = useRef<DialogHandle>(null);
  useEffect(() => {
    if (send.error) frame.current?.querySelector(".plan-editor .wrong")?.scrollIntoView({ block: "center" });
  }, [send.error, frame]);
  const at = { runId: state.run_id, checkpointId: checkpoint.checkpoint_id, shown, onNote: setShown };
  const choose = (choice: Choice) => submit({ action: choice.action, choice: choice.label });

  function begin(next: Mode) {
    setMode(next);
    if (next === "edit" && plan) setEdited(edited ?? joinSearches(plan));
    if (next === "read") setEdited(null);
  }

  return (
    <div className="approve" ref={frame} data-subject={subject?.type} data-noted={shown ? true : undefined}>
      <div className="sheet card">
        {failed && <FailedStep failed={failed} />}
        {checkpoint.message && (!failed || (checkpoint.changed ?? []).length > 0) && (
          <p className="asks" role={asksAnew ? "alert" : undefined} tabIndex={-1}>
            {(checkpoint.asks ?? []).map((ask) => say(ask)).join(" ")}
          </p>
        )}
        {checkpoint.differences && subject?.type === "plan" && mode !== "edit" && (
          <PlanChanges changes={checkpoint.differences} />
        )}
        {mode === "edit" && edited ? (
          <PlanEditor plan={edited} done={checkpoint.done_steps ?? []} problems={wrong} onChange={setEdited} />
        ) : (
          subject && (
            <SubjectView
              {...at}
              subject={subject}
              differences={checkpoint.differences ?? null}
              files={state.files}
              choices={choices}
              busy={busy}
              onChoose={choose}
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
              (shown.opener as HTMLElement | null)?.focus(); // where one was reading
            }}
          />
        </aside>
      ) : (
        <DecisionTerms state={state} checkpoint={checkpoint} plan={mode === "edit" && edited ? edited : plan}>
          {offersKeep && <KeepStartup kept={isKept} onChange={setKept} />}
        </DecisionTerms>
      )}
      <div className="foot bottom-bar">
        {send.error &&
          (isAboutFields(send.error) ? (
            wrong.length > 0 && <ErrorNotice error={new Problem("modification", "")} />
          ) : (
            <ErrorNotice error={send.error} />
          ))}
        {mode === "revise" && (
          <label className="field">
            <span>{t("approve.revise.label")}</span>
            <textarea
              autoFocus
              rows={2}
              value={feedback}
              placeholder={called.hint}
              onChange={(event) => setFeedback(event.target.value)}
            />
          </label>
        )}
        <p className="anew" role="status">
          {changes > 0 && !state.offline && t("approve.anew")}
        </p>
        {mode === "reject" && <Notice kind="wait">{called.sure}</Notice>}
        <div className="actions">
          {mode === "read" && (
            <>
              {below.map((choice) => (
                <button
                  key={choice.label}
                  type="button"
                  className={choice.action === "reject" ? "danger" : "primary"}
                  disabled={busy}
                  onClick={() => choose(choice)}
                >
                  {choice.label}
                </button>
              ))}
              {may("approve") && choices.length === 0 && (
                <button type="button" className="primary" disabled={busy} onClick={() => submit({ action: "approve" })}>
                  {plan && subject?.type === "plan" && !state.offline
                    ? t("approve.approve.price", { top: usd(plan.estimated_cost.top_usd) })
                    : called.approve}
                </button>
              )}
              {may("modify") && plan && (
                <button type="button" data-mode="edit" disabled={busy} onClick={() => begin("edit")}>
                  {t("approve.edit")}
                </button>
              )}
              {may("revise") && (
                <button
                  type="button"
                  data-mode="revise"
                  className={failed && !may("approve") ? "primary" : undefined}
                  disabled={busy}
                  onClick={() => begin("revise")}
                >
                  {called.revise}
                </button>
              )}
              {may("reject") && (
                <button
                  type="button"
                  data-mode="reject"
                  className="danger"
                  disabled={busy}
                  onClick={() => begin("reject")}
                >
                  {called.reject}
                </button>
              )}
            </>
          )}
          {mode === "edit" && (
            <>
              <button
                type="button"
                className="primary"
                disabled={busy || changes === 0}
                onClick={() => {
                  setSent(edited);
                  submit({ action: "modify", modifications: takeOver(modifications) });
                }}
              >
                {t(changes === 0 ? "approve.modify.none" : "approve.modify", { n: changes })}
              </button>
              <button type="button" onClick={() => (changes === 0 ? begin("read") : dropping.current?.open())}>
                {t(changes === 0 ? back : "approve.modify.drop")}
              </button>
            </>
          )}
          {mode === "revise" && (
            <>
              <button
                type="button"
                className="primary"
                disabled={busy || !feedback.trim()}
                onClick={() => submit({ action: "revise", feedback: feedback.trim() })}
              >
                {called.send}
              </button>
              <button type="button" onClick={() => begin("read")}>
                {t(back)}
              </button>
            </>
          )}
          {mode === "reject" && (
            <>
              <button type="button" className="danger" disabled={busy} onClick={() => submit({ action: "reject" })}>
                {called.yes}
              </button>
              <button type="button" autoFocus onClick={() => begin("read")}>
                {t(back)}
              </button>
            </>
          )}
        </div>
      </div>
      <Dialog title={t("approve.drop.title")} handle={dropping}>
        <p>{t("approve.drop.text")}</p>
        <div className="actions">
          <button type="button" className="danger" onClick={() => (begin("read"), dropping.current?.close())}>
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
const takeOver = (changes: Partial<Plan>) =>
  ({ ...changes, ...(changes.search_terms && { expanded_queries: [] }) }) as Decide["modifications"] & object;

/**
 * Focus what a button opened, and the button again once that is closed; scroll to a decision that is
 * asked once more.
 */
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
