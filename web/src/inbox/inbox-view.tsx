/** What waits for me: the runs that ask, and beside them what the chosen one asks. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import type { RunSummary } from "../api/client";
import { useWaiting } from "../frame/header";
import { StatusWord } from "../parts/lamp";
import { ErrorNotice, Loading } from "../parts/notices";
import { useTitle } from "../parts/text/title";
import { useWords } from "../strings";
import { InboxItem, type Settled } from "./inbox-item";
import "./inbox.css";

export default function InboxView({ id }: { id: string }) {
  const { t } = useWords();
  useTitle(t("nav.inbox"));
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [settled, setSettled] = useState<Settled[]>([]);
  const waiting = useWaiting();
  if (!waiting.data) {
    return waiting.error ? <ErrorNotice error={waiting.error} onRetry={() => void waiting.refetch()} /> : <Loading />;
  }
  const runs = waiting.data.items;
  const shown = id || runs[0]?.run_id;
  const place = runs.findIndex((run) => run.run_id === shown);

  /** Say what was done, and go on to the next that waits, or to the list where none does. */
  function goOn(one: Settled) {
    const next = runs[place + 1] ?? runs.find((run) => run.run_id !== one.runId);
    setSettled([one, ...settled]);
    void queries.invalidateQueries({ queryKey: ["runs"] });
    navigate(next ? `/inbox/${next.run_id}` : "/inbox", { replace: true });
  }

  return (
    <div className="inbox" data-chosen={id || undefined}>
      <section className="waits stack" aria-labelledby="inbox">
        <h1 id="inbox">{t("nav.inbox")}</h1>
        {runs.length === 0 && <p className="muted">{t("inbox.empty")}</p>}
        <ul className="plain">
          {runs.map((run) => (
            <Row key={run.run_id} run={run} isShown={run.run_id === shown} />
          ))}
        </ul>
        {settled.length > 0 && (
          <section aria-labelledby="settled">
            <h2 id="settled" className="label">
              {t("inbox.settled")}
            </h2>
            <ul className="plain">
              {settled.map((one) => (
                <li key={one.checkpointId}>
                  <Link href={`/runs/${one.runId}`}>
                    <small>{t(one.done)}</small>
                    <span className="clamped">{one.query}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )}
      </section>
      <section className="pane stack" aria-label={t("inbox.pane")}>
        {settled[0] && (
          <p className="just" role="status">
            {t("inbox.just", { done: t(settled[0].done), query: settled[0].query })}{" "}
            <Link href={`/runs/${settled[0].runId}`}>{t("inbox.open")}</Link>
          </p>
        )}
        {shown ? (
          <InboxItem key={shown} id={shown} isNext={settled.length > 0} onSettled={goOn} />
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

function Row({ run, isShown }: { run: RunSummary; isShown: boolean }) {
  const { ago, date } = useWords();
  return (
    <li>
      <Link href={`/inbox/${run.run_id}`} aria-current={isShown ? "true" : undefined}>
        <small className="apart">
          <StatusWord status="waiting" says={run.asks ? `run.${run.asks}` : undefined} />
          <time dateTime={run.started_at} title={date(run.started_at)}>
            {ago(run.started_at)}
          </time>
        </small>
        <span className="clamped">{run.query || run.run_id}</span>
      </Link>
    </li>
  );
}
