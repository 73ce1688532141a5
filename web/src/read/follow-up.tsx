import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type SubmitEvent } from "react";
import { useLocation } from "wouter";

import { followUp, KEYED, startRun, type RunState } from "../api/client";
import { useDraft } from "../parts/draft";
import { ErrorNotice } from "../parts/notices";
import { useWords } from "../strings";

/** What may come after a report: a further question, a correction, or the same again. */
export function FollowUp({ state }: { state: RunState }) {
  return (
    <section className="further stack ruled">
      <AskFurther state={state} />
      <RunAgain state={state} />
    </section>
  );
}

/** A question or a correction that goes on from the report: a run of its own. */
function AskFurther({ state }: { state: RunState }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const [query, setQuery, forget] = useDraft(`${state.run_id}.further`, "");
  const key = useRef(crypto.randomUUID());
  const ask = useMutation({
    ...KEYED,
    mutationFn: () => followUp(state.run_id, query.trim(), key.current),
    onSuccess: (run) => {
      forget();
      navigate(`/runs/${run.run_id}`);
    },
  });
  const changes = listChanges(state);
  function write(text: string) {
    setQuery(text);
    key.current = crypto.randomUUID();
  }
  function prepare(change: string) {
    write(t("read.followup.ask", { change }));
    document.getElementById("further")?.focus();
  }
  function submit(event: SubmitEvent) {
    event.preventDefault();
    ask.mutate();
  }
  return (
    <form className="stack" onSubmit={submit}>
      <label htmlFor="further">{t("read.followup")}</label>
      <div className="further-box">
        <textarea id="further" rows={1} required value={query} onChange={(event) => write(event.target.value)} />
        <button className="primary" disabled={ask.isPending}>
          {t("read.followup.send")}
        </button>
      </div>
      <small>{t("read.followup.hint")}</small>
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

/** Stands in the place of a phase: the run goes on at the first step that was not done. */
const AT_STEP = "";

/** The phase of which some steps were done and others not: a run goes on behind those. */
const findHalfDone = ({ phases, plan }: RunState) =>
  phases.find(({ undone = [] }) => undone.length > 0 && undone.length < (plan?.steps.length ?? 0));

/** The same again from a phase on, or at the step that was not done: a run of its own. */
export function RunAgain({ state }: { state: RunState }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const halfDone = findHalfDone(state);
  const [phase, setPhase] = useState(() => (halfDone ? AT_STEP : findRedo(state)));
  const key = useRef(crypto.randomUUID());
  const redo = useMutation({
    ...KEYED,
    mutationFn: () => {
      const start = {
        query: state.query,
        inputs: state.inputs,
        from_run: state.run_id,
        redo: phase === AT_STEP ? [] : [phase],
        fresh: true,
        ...(state.startup && { startup_id: state.startup.id }),
      };
      return startRun(state.definition_id, start, key.current);
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
    key.current = crypto.randomUUID();
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
