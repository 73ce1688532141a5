import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type FormEvent } from "react";
import { useLocation } from "wouter";

import { followUp, KEYED, startRun, type RunState } from "../api/client";
import { useDraft } from "../parts/draft";
import { ErrorNotice } from "../parts/notices";
import { useWords } from "../strings";

/** A further question, a correction, or the same again from a phase on: each is a run of its own. */
export function FollowUp({ state }: { state: RunState }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const [query, setQuery, forget] = useDraft(`${state.run_id}.further`, "");
  const [phase, setPhase] = useState(state.phases.at(-1)?.id ?? "");
  const keys = useRef({ ask: crypto.randomUUID(), redo: crypto.randomUUID() });
  const ask = useMutation({
    ...KEYED,
    mutationFn: () => followUp(state.run_id, query.trim(), keys.current.ask),
    onSuccess: (run) => {
      forget();
      navigate(`/runs/${run.run_id}`);
    },
  });
  const redo = useMutation({
    ...KEYED,
    mutationFn: () => {
      const start = {
        query: state.query,
        inputs: state.inputs,
        from_run: state.run_id,
        redo: [phase],
        fresh: true,
        ...(state.startup && { startup_id: state.startup.id }),
      };
      return startRun(state.definition_id, start, keys.current.redo);
    },
    onSuccess: (run) => navigate(`/runs/${run.run_id}`),
  });
  const changes = listChanges(state);
  function prepare(change: string) {
    setQuery(t("read.followup.ask", { change }));
    keys.current.ask = crypto.randomUUID();
    document.getElementById("further")?.focus();
  }
  function submit(event: FormEvent, send: () => void) {
    event.preventDefault();
    send();
  }
  return (
    <section className="further">
      <form onSubmit={(event) => submit(event, () => ask.mutate())}>
        <label htmlFor="further">{t("read.followup")}</label>
        <div className="further-box">
          <textarea
            id="further"
            rows={1}
            required
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              keys.current.ask = crypto.randomUUID();
            }}
          />
          <button className="primary" disabled={ask.isPending}>
            {t("read.followup.send")}
          </button>
        </div>
        <small>{t("read.followup.hint")}</small>
        {changes.length > 0 && (
          <p className="further-changes">
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
      <form onSubmit={(event) => submit(event, () => redo.mutate())}>
        <label htmlFor="redo">{t("read.redo")}</label>
        <div className="further-box">
          <select
            id="redo"
            value={phase}
            onChange={(event) => {
              setPhase(event.target.value);
              keys.current.redo = crypto.randomUUID();
            }}
          >
            {state.phases.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
          <button disabled={redo.isPending}>{t("read.redo.send")}</button>
        </div>
        <small>{t("read.redo.hint")}</small>
        {redo.failureReason && <ErrorNotice error={redo.failureReason} />}
      </form>
    </section>
  );
}

/** What would change the run's decision, if it made one. */
function listChanges({ results }: RunState): string[] {
  const decision = results["decision"] as { what_would_change?: unknown } | null | undefined;
  const changes = decision?.what_would_change;
  return Array.isArray(changes) ? [...new Set(changes.map(String))] : [];
}
