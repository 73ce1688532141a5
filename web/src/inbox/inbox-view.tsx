/** The inbox: waiting runs, with the selected one's questions at the side; a decision can be undone for a moment. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";

import { listDefinitions, type RunSummary } from "../api/client";
import { useWaiting } from "../frame/header";
import { StatusWord } from "../parts/lamp";
import { useHeldRows } from "../parts/hooks/held-rows";
import { NewRows } from "../parts/new-rows";
import { ErrorNotice, Loading } from "../parts/notices";
import { RunKind, RunTime } from "../parts/run-facts";
import { findSameQuestionRuns, type Apart } from "../parts/same-question-runs";
import { useTitle } from "../parts/text/title";
import { HoldContext, type Held } from "../run-state/undoable-decision-context";
import { useWords } from "../strings";
import { placeOf } from "./undoable-decision-storage";
import { useHeld } from "./use-undoable-decision";
import { InboxItem, type Settled } from "./inbox-item";
import { NotifyOffer } from "./notify-offer";
import "./inbox.css";

export default function InboxView({ id }: { id: string }) {
  const { t, named } = useWords();
  useTitle(t("nav.inbox"));
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [settled, setSettled] = useState<Settled[]>([]);
  const waiting = useWaiting();
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions, staleTime: 60_000 });
  const reload = () => queries.invalidateQueries({ queryKey: ["runs"] });
  const { held, hiddenId, failed, hold, undo, retry, discard } = useHeld(reload, takeBack);
  const list = useHeldRows({
    rows: waiting.data?.items ?? [],
    keyOf: ({ run_id: id }) => id,
    mayLeave: ({ run_id: id }) => settled.some(({ runId }) => runId === id),
  });
  const runs = list.rows.filter((run) => run.run_id !== hiddenId);
  const shown = id || runs[0]?.run_id;
  const place = runs.findIndex((run) => run.run_id === shown);
  useUndoKey(held ? goBack : null);
  useArrowKeys((step) => {
    const next = runs[place + step];
    if (next) navigate(`/inbox/${next.run_id}`);
  });
  if (!waiting.data) {
    return waiting.error ? <ErrorNotice error={waiting.error} onRetry={() => void waiting.refetch()} /> : <Loading />;
  }
  const apart = findSameQuestionRuns(runs);
  const titles = new Map(definitions.data?.map((one) => [one.id, named(one)]));
  const [last] = settled;

  /** Keep a decision back for a moment, and go on as if it were made. */
  function goOnWith(one: Held) {
    hold(one);
    const { runId, checkpointId, query, action } = one;
    goOn({ runId, checkpointId, query, done: `decision.${action}` });
  }

  /** Say no longer that a decision was made. */
  function takeBack({ runId, checkpointId }: Held) {
    setSettled((all) => all.filter((one) => one.runId !== runId || one.checkpointId !== checkpointId));
  }

  /** Undo the decision that is kept back, and show what it was about. */
  function goBack() {
    const one = undo();
    if (one) navigate(`/inbox/${one.runId}`, { replace: true });
  }

  /** Announce the result, and go to the next waiting run, or to the list. */
  function goOn(one: Settled) {
    const next = runs[place + 1] ?? runs.find((run) => run.run_id !== one.runId);
    setSettled([one, ...settled]);
    void reload();
    navigate(next ? `/inbox/${next.run_id}` : "/inbox", { replace: true });
  }

  return (
    <div className="inbox" data-chosen={id || undefined} data-empty={runs.length === 0 || undefined}>
      {last && (
        <div className="just apart" role="status">
          <span>
            {t("inbox.just", { done: t(last.done), query: last.query })}{" "}
            {held ? <small>{t("inbox.held")}</small> : <Link href={`/runs/${last.runId}`}>{t("inbox.open")}</Link>}
          </span>
          {held && (
            <button type="button" onClick={goBack}>
              {t("inbox.undo")}
            </button>
          )}
        </div>
      )}
      {failed.map((one) => (
        <div key={placeOf(one.held)} className="failed stack">
          <p>{t(one.isKept ? "inbox.failed.kept" : "inbox.failed", { query: one.held.query })}</p>
          <ErrorNotice error={one.error} onRetry={() => retry(one)} />
          {one.isKept && (
            <button type="button" onClick={() => discard(one)}>
              {t("inbox.discard")}
            </button>
          )}
        </div>
      ))}
      <section className="waits stack" aria-labelledby="inbox">
        <NewRows isInPane n={list.fresh.length} onShow={list.show} />
        <h1 id="inbox">{t("nav.inbox")}</h1>
        {runs.length === 0 && <p className="muted">{t("inbox.empty")}</p>}
        <ul className="plain">
          {runs.map((run) => (
            <Row
              key={run.run_id}
              run={run}
              kind={definitions.isPending ? "" : titles.get(run.definition_id)}
              apart={apart.get(run.run_id)}
              isShown={run.run_id === shown}
              isGone={list.isGone(run)}
            />
          ))}
        </ul>
        {settled.length > 0 && (
          <section aria-labelledby="settled">
            <h2 id="settled" className="label">
              {t("inbox.settled")}
            </h2>
            <ul className="plain">
              {settled.map((one) => (
                <li key={`${one.runId} ${one.checkpointId}`}>
                  <Link href={`/runs/${one.runId}`}>
                    <small>{t(one.done)}</small>
                    <span className="clamped">{one.query}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )}
        {runs.length > 0 && <NotifyOffer />}
      </section>
      <section className="pane stack" aria-label={t("inbox.pane")}>
        {shown ? (
          <HoldContext value={goOnWith}>
            <InboxItem key={shown} id={shown} isNext={settled.length > 0} onSettled={goOn} />
          </HoldContext>
        ) : (
          <div className="empty">
            <p>{t("inbox.empty.why")}</p>
            <Link href="/" className="button">
              {t("state.home")}
            </Link>
          </div>
        )}
      </section>
    </div>
  );
}

/** Undo by Ctrl-Z as long as there is something to undo, but for what is typed. */
function useUndoKey(undo: (() => void) | null) {
  useEffect(() => {
    if (!undo) return;
    const listen = (event: KeyboardEvent) => {
      const isTyped = event.target instanceof HTMLElement && event.target.matches("input, textarea");
      if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || isTyped) return;
      event.preventDefault();
      undo();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [undo]);
}

/** Alt with an arrow goes to the run that waits above or below. */
function useArrowKeys(go: (step: 1 | -1) => void) {
  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyped = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (!event.altKey || isTyped || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
      event.preventDefault();
      latest.current(event.key === "ArrowDown" ? 1 : -1);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

interface RowGiven {
  run: RunSummary;
  /** What kind of research it is, as far as that is known. */
  kind: string | undefined;
  /** How it differs from others in the list that ask the same; undefined: none does. */
  apart: Apart | undefined;
  isShown: boolean;
  /** It was settled elsewhere while the list was read. */
  isGone: boolean;
}

function Row({ run, kind, apart, isShown, isGone }: RowGiven) {
  const { t } = useWords();
  return (
    <li data-gone={isGone || undefined}>
      <Link href={`/inbox/${run.run_id}`} aria-current={isShown ? "true" : undefined}>
        <small className="apart">
          {isGone ? (
            <span>{t("list.gone")}</span>
          ) : (
            <StatusWord status="waiting" says={run.asks ? `run.${run.asks}` : undefined} />
          )}
          <RunTime {...{ run, apart }} />
        </small>
        <span className="clamped">{run.query || run.run_id}</span>
        {apart && (
          <small>
            <RunKind {...{ run, kind, apart }} />
          </small>
        )}
      </Link>
    </li>
  );
}
