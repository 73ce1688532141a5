/** The decision: what would be done, what it costs, and what one may say to it. */

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { decide, type Checkpoint, type Decide, type RunState } from "../api/client";
import { Dialog, type DialogHandle } from "../parts/dialog";
import { useDraft } from "../parts/draft";
import { ErrorNotice, Notice } from "../parts/notices";
import { useReach } from "../parts/reach";
import { Readable } from "../parts/text/readable";
import type { Sent } from "../run/settled-elsewhere";
import { useWords, type Key } from "../strings";
import "./approve.css";
import { Approvers } from "./approvers";
import { KeepStartup } from "./keep-startup";
import { countSearches, findModifications, isPlan, joinSearches, type Plan } from "./plan";
import { PlanChanges } from "./plan-changes";
import { PlanEditor } from "./plan-editor";
import { PlanPage } from "./plan-page";

interface Given {
  state: RunState;
  checkpoint: Checkpoint;
  /** The plan that was shown before this one, if it was sent back or changed. */
  earlier: Plan | null;
  /** The plan is another one by what was just sent here: so it is not approved yet. */
  isAskedAnew: boolean;
  onSent(sent: Sent | undefined): void;
}

type Mode = "read" | "edit" | "revise" | "reject";

export default function ApproveView({ state, checkpoint, earlier, isAskedAnew, onSent }: Given) {
  const { t, asked, served, date, usd } = useWords();
  const plan = isPlan(checkpoint.subject) ? checkpoint.subject : null;
  const draftName = `${state.run_id}.${checkpoint.checkpoint_id}.${checkpoint.plan_hash ?? ""}`;
  const [edited, setEdited, forget] = useDraft<Plan | null>(draftName, null);
  const [feedback, setFeedback, forgetFeedback] = useDraft(`${draftName}.feedback`, "");
  const offersKeep = typeof checkpoint.keep_startup === "boolean";
  const [isKept, setKept] = useState(checkpoint.keep_startup ?? false);
  const [mode, setMode] = useState<Mode>(edited ? "edit" : feedback ? "revise" : "read");
  const [asksAnew] = useState(isAskedAnew); // however often it is drawn, it was said once
  const frame = useFocusAt(mode, asksAnew);
  useEffect(() => {
    if (asksAnew) onSent(undefined);
  }, [asksAnew, onSent]);
  const send = useMutation({
    mutationFn: (decision: Decide) =>
      decide(state.run_id, {
        checkpoint_id: checkpoint.checkpoint_id,
        ...(checkpoint.plan_hash ? { plan_hash: checkpoint.plan_hash } : {}),
        ...(offersKeep && (decision.action === "approve" || decision.action === "modify") ? { keep_startup: isKept } : {}),
        ...decision,
      }),
    onMutate: ({ action }) => onSent({ checkpoint, isChange: action === "modify" }),
    onError: () => onSent(undefined),
    onSuccess: () => {
      forget();
      forgetFeedback();
    },
  });
  const reach = useReach(state.definition_id);
  const options = checkpoint.options ?? [];
  const choices = checkpoint.choices ?? [];
  const may = (action: string) => options.includes(action);
  const modifications = plan && edited ? findModifications(plan, edited) : {};
  const changes = Object.keys(modifications).length;
  const busy = send.isPending;
  const back: Key = plan ? "approve.back.plan" : "approve.back";
  const dropping = useRef<DialogHandle>(null);

  function begin(next: Mode) {
    setMode(next);
    if (next === "edit" && plan) setEdited(edited ?? joinSearches(plan));
    if (next === "read") setEdited(null);
  }

  return (
    <div className="approve" ref={frame}>
      <div className="sheet">
        {checkpoint.message && (
          <p className="asks" role={asksAnew ? "alert" : undefined} tabIndex={-1}>
            {asked(checkpoint.message)}
          </p>
        )}
        {earlier && plan && mode !== "edit" && <PlanChanges before={earlier} after={plan} />}
        {plan && mode === "edit" && edited ? (
          <PlanEditor plan={edited} onChange={setEdited} />
        ) : plan ? (
          <PlanPage plan={plan} files={state.files} />
        ) : (
          <Readable value={checkpoint.subject} />
        )}
        {checkpoint.context && (
          <details className="context">
            <summary>{t("approve.context")}</summary>
            <Readable value={checkpoint.context} />
          </details>
        )}
      </div>
      <aside className="terms">
        {plan && (
          <dl>
            <dt>{t("approve.price")}</dt>
            <dd className="figure">{state.offline ? t("approve.free") : t("approve.about", { usd: usd(plan.estimated_cost.expected_usd) })}</dd>
            <dd>
              {t(state.offline ? "approve.range.offline" : "approve.range", {
                low: usd(plan.estimated_cost.low_usd),
                expected: usd(plan.estimated_cost.expected_usd),
                top: usd(plan.estimated_cost.top_usd),
                model: state.model,
              })}
            </dd>
            {plan.estimated_duration && (
              <>
                <dt>{t("approve.time")}</dt>
                <dd className="figure">{plan.estimated_duration}</dd>
              </>
            )}
            {reach !== "none" && (
              <>
                <dt>{t("approve.reads")}</dt>
                <dd>
                  {t("approve.searches", {
                    where: state.searched ? served(state.searched) : t("approve.web"),
                    n: countSearches(mode === "edit" && edited ? edited : plan),
                  })}
                </dd>
              </>
            )}
            <dt>{t("approve.model")}</dt>
            <dd>{state.offline ? t("approve.model.offline") : state.model}</dd>
          </dl>
        )}
        {offersKeep && <KeepStartup kept={isKept} onChange={setKept} />}
        {checkpoint.poll && <Approvers poll={checkpoint.poll} />}
        <p className="deadline">
          {t("approve.deadline")} <time dateTime={checkpoint.deadline}>{date(checkpoint.deadline)}</time>
        </p>
      </aside>
      <div className="foot">
        {send.error && <ErrorNotice error={send.error} />}
        {mode === "revise" && (
          <label className="field">
            <span>{t("approve.revise.label")}</span>
            <textarea
              autoFocus
              rows={2}
              value={feedback}
              placeholder={t("approve.revise.hint")}
              onChange={(event) => setFeedback(event.target.value)}
            />
          </label>
        )}
        <p className="anew" role="status">
          {changes > 0 && t("approve.anew")}
        </p>
        {mode === "reject" && <Notice kind="wait">{t("approve.reject.sure")}</Notice>}
        <div className="actions">
          {mode === "read" && (
            <>
              {choices.map((choice) => (
                <button
                  key={choice.label}
                  type="button"
                  className={choice.action === "reject" ? "danger" : "primary"}
                  disabled={busy}
                  onClick={() => send.mutate({ action: choice.action, choice: choice.label })}
                >
                  {choice.label}
                </button>
              ))}
              {may("approve") && choices.length === 0 && (
                <button type="button" className="primary" disabled={busy} onClick={() => send.mutate({ action: "approve" })}>
                  {plan && !state.offline
                    ? t("approve.approve.price", { top: usd(plan.estimated_cost.top_usd) })
                    : t("approve.approve")}
                </button>
              )}
              {may("modify") && plan && (
                <button type="button" data-mode="edit" disabled={busy} onClick={() => begin("edit")}>
                  {t("approve.edit")}
                </button>
              )}
              {may("revise") && (
                <button type="button" data-mode="revise" disabled={busy} onClick={() => begin("revise")}>
                  {t("approve.revise")}
                </button>
              )}
              {may("reject") && (
                <button type="button" data-mode="reject" className="danger" disabled={busy} onClick={() => begin("reject")}>
                  {t("approve.reject")}
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
                onClick={() => send.mutate({ action: "modify", modifications: takeOver(modifications) })}
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
                onClick={() => send.mutate({ action: "revise", feedback: feedback.trim() })}
              >
                {t("approve.revise.send")}
              </button>
              <button type="button" onClick={() => begin("read")}>
                {t(back)}
              </button>
            </>
          )}
          {mode === "reject" && (
            <>
              <button type="button" className="danger" disabled={busy} onClick={() => send.mutate({ action: "reject" })}>
                {t("approve.reject.yes")}
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
 * What a press of a button opens takes the focus, and the button has it again when that is closed;
 * what asks anew is gone to.
 */
function useFocusAt(mode: Mode, isAskedAnew: boolean) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isAskedAnew) return;
    frame.current?.querySelector<HTMLElement>(".asks")?.focus({ preventScroll: true });
    frame.current?.scrollIntoView();
  }, []);
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
