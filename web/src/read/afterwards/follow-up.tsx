import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useContext, useImperativeHandle, useState, type SubmitEvent } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";

import { estimateRun, followUp, startRun, type RunState } from "../../api/client";
import { useDraft } from "../../parts/hooks/draft";
import { useKeyedMutation } from "../../parts/hooks/keyed-mutation";
import { ErrorNotice } from "../../parts/notices";
import { useWords } from "../../strings";
import { RemarksContext } from "./remarks";
import { FROM_REPORT, Questions } from "./questions";

/** What may come after a report: a further question, a correction, or the same again. */
export function FollowUp({ state }: { state: RunState }) {
  return (
    <section className="further stack ruled">
      <Questions runId={state.run_id} />
      <FollowRemarks runId={state.run_id} />
      <AskFurther state={state} />
      <RunAgain state={state} />
    </section>
  );
}

/** What one remarked on: a follow-up puts it right. */
function FollowRemarks({ runId }: { runId: string }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const given = useContext(RemarksContext);
  const [follow] = useKeyedMutation({
    send: (key) => followUp(runId, { remarks: given?.remarks ?? [] }, key),
    onSuccess: (run) => {
      given?.onSent();
      navigate(`/runs/${run.run_id}`);
    },
  });
  if (!given) return null;
  const n = given.remarks.length;
  return (
    <div className="stack">
      <p className="row">
        {n > 0 && (
          <button type="button" className="primary" disabled={follow.isPending} onClick={() => follow.mutate()}>
            {t("read.remarks.follow", { n })}
          </button>
        )}
        <button type="button" onClick={() => given.onOpen(!given.isOpen)}>
          {t(given.isOpen ? "read.remarks.close" : "read.remarks.open")}
        </button>
      </p>
      <small>{t("read.remarks.hint")}</small>
      {follow.failureReason && <ErrorNotice error={follow.failureReason} />}
    </div>
  );
}

/** A question that the report's pages may answer; or one, or a correction, that is researched by a run of its own. */
function AskFurther({ state }: { state: RunState }) {
  const { t, usd } = useWords();
  const [, navigate] = useLocation();
  const [query, setQuery, forget] = useDraft(`${state.run_id}.further`, "");
  const [ask, renew] = useKeyedMutation({
    send: (key, research: boolean) => followUp(state.run_id, { query: query.trim(), research }, key),
    onSuccess: (run, research) => {
      forget();
      if (research) return navigate(`/runs/${run.run_id}`);
      write("");
      return queries.invalidateQueries({ queryKey: ["questions", state.run_id] });
    },
  });
  const queries = useQueryClient();
  const estimate = useQuery({
    queryKey: ["estimate", FROM_REPORT, state.run_id],
    queryFn: () => estimateRun(FROM_REPORT, { query: "?", from_run: state.run_id, follow_up: true }),
    enabled: Boolean(state.results.report) && query.trim() !== "",
    staleTime: Infinity,
    retry: false,
  });
  const price = estimate.data && !estimate.data.offline && usd(estimate.data.price.expected_usd);
  const changes = listChanges(state);
  function write(text: string) {
    setQuery(text);
    renew();
  }
  function prepare(change: string) {
    write(t("read.followup.ask", { change }));
    document.getElementById("further")?.focus();
  }
  const given = useContext(RemarksContext);
  useImperativeHandle(given?.asking, () => ({
    about(sentence) {
      flushSync(() => write(t("read.sentence.about", { sentence })));
      const box = document.querySelector<HTMLTextAreaElement>("#further");
      box?.scrollIntoView({ block: "center" });
      box?.focus({ preventScroll: true });
      box?.setSelectionRange(box.value.length, box.value.length);
    },
  }));
  function submit(event: SubmitEvent) {
    event.preventDefault();
    ask.mutate((event.submitter as HTMLButtonElement | null)?.value === "research");
  }
  return (
    <form className="stack" onSubmit={submit}>
      <label htmlFor="further">{t("read.followup")}</label>
      <textarea id="further" rows={2} required value={query} onChange={(event) => write(event.target.value)} />
      <div className="ways">
        <p>
          <button className="primary" value="pages" disabled={ask.isPending}>
            {t("read.question.send")}
          </button>
          <small>
            {t("read.question.hint")} {price && t("read.question.price", { price })}
          </small>
        </p>
        <p>
          <button value="research" disabled={ask.isPending}>
            {t("read.followup.send")}
          </button>
          <small>{t("read.followup.hint")}</small>
        </p>
      </div>
      {changes.length > 0 && (
        <p className="row">
          {t("read.followup.change")}{" "}
          {changes.map((change) => (
            <button key={change} type="button" onClick={() => prepare(change)}>
              {change}
            </button>
          ))}
        </p>
      )}
      {ask.failureReason && <ErrorNotice error={ask.failureReason} />}
    </form>
  );
}

/** Where one would most likely begin again: at what failed, at what was rejected, at what is still to do. */
function findRedo(state: RunState): string {
  const { phases } = state;
  const failed = phases.find((phase) => phase.status === "failed");
  const open = phases.find((phase) => phase.status !== "completed");
  return (failed ?? findRejected(state) ?? open ?? phases.at(-1))?.id ?? "";
}

/** The phase that a rejection was of: a checkpoint's is the one before it, any other asks about itself. */
function findRejected({ status, phases, decisions }: RunState) {
  if (status !== "rejected") return undefined;
  const last = decisions.at(-1);
  const asked =
    last?.action === "reject"
      ? phases.findIndex(({ id }) => id === last.phase_id)
      : phases.findLastIndex((phase) => phase.status === "completed"); // its questions had no answer in time
  return (phases[asked]?.kind === "hitl_checkpoint" && phases[asked - 1]) || phases[asked];
}

/** A value in place of a phase: the run continues at the first incomplete step. */
const AT_STEP = "";

/** The phase with completed and incomplete steps, after which a run continues. */
const findHalfDone = ({ phases, plan }: RunState) =>
  phases.find(({ undone = [] }) => undone.length > 0 && undone.length < (plan?.steps.length ?? 0));

/** The same again from a phase on, or at the step that was not done: a run of its own. */
export function RunAgain({ state }: { state: RunState }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const halfDone = findHalfDone(state);
  const [phase, setPhase] = useState(() => (halfDone ? AT_STEP : findRedo(state)));
  const [redo, renew] = useKeyedMutation({
    send: (key) => {
      const start = {
        query: state.query,
        inputs: state.inputs,
        from_run: state.run_id,
        redo: phase === AT_STEP ? [] : [phase],
        fresh: true,
        ...(state.startup && { startup_id: state.startup.id }),
      };
      return startRun(state.definition_id, start, key);
    },
    onSuccess: (run) => navigate(`/runs/${run.run_id}`),
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    redo.mutate();
  }
  const at = state.phases.findIndex(({ id }) => id === (phase || halfDone?.id));
  const asksAgain = state.phases.slice(at).some(({ kind }) => kind === "hitl_checkpoint");
  function choose(id: string) {
    setPhase(id);
    renew();
  }
  return (
    <form className="stack" onSubmit={submit}>
      <label htmlFor="redo">{t("read.redo")}</label>
      <div className="further-box">
        <select id="redo" value={phase} onChange={(event) => choose(event.target.value)}>
          {halfDone && <option value={AT_STEP}>{t("read.redo.step", { step: halfDone.undone?.[0] ?? "" })}</option>}
          {state.phases.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
        <button className={state.status === "completed" ? undefined : "primary"} disabled={redo.isPending}>
          {t("read.redo.send")}
        </button>
      </div>
      <small>{t(asksAgain ? "read.redo.hint.asks" : "read.redo.hint.starts")}</small>
      {redo.failureReason && <ErrorNotice error={redo.failureReason} />}
    </form>
  );
}

/** What would change the run's decision, if it made one. */
function listChanges({ results }: RunState): string[] {
  const decision = results.decision;
  const changes = decision?.what_would_change;
  return Array.isArray(changes) ? [...new Set(changes.map(String))] : [];
}
