import { memo, useEffect, useState } from "react";

import type { PhaseView } from "../api/client";
import type { Span, Stretch } from "../run-state/run-log";
import { useWords, type Key } from "../strings";
import { findPauses, measureSeconds } from "./pauses";

const TICK_MS = 1_000;

interface Given {
  spans: Span[];
  pauses: Stretch[];
  phases: PhaseView[];
  hasEnded: boolean;
  again: Key;
}

/** What ran when, one line a phase: its stays, its waits for humans and while paused, its attempts. */
export const Timeline = memo(function Timeline({ spans, pauses, phases, hasEnded, again }: Given) {
  const { t, span } = useWords();
  const now = useNow(!hasEnded);
  const begin = spans[0] ? Date.parse(spans[0].from) : now;
  const until = (moment: string | null) => (moment ? Date.parse(moment) : now);
  const end = Math.max(...spans.map((one) => until(one.to)), begin + 1_000);
  const axis = layOutTime([...spans.flatMap((one) => one.waits), ...pauses], begin, end, now);
  const place = (from: number, to: number) => {
    const [a, b] = [axis(from), axis(to)];
    return { left: `${a * 100}%`, width: `${Math.max((b - a) * 100, 0.4)}%` };
  };
  const rows = phases.map(({ id, title }) => ({ id, title, stays: spans.filter(({ phaseId }) => phaseId === id) }));
  const hasPauses = pauses.length > 0;
  return (
    <>
      <ol className="timeline">
        {rows.map(({ id, title, stays }) => (
          <li key={id}>
            <span>{title}</span>
            <span className="bars">
              {stays.map((stay) => (
                <span
                  key={`${stay.attempt} ${stay.from}`}
                  className="bar"
                  style={place(Date.parse(stay.from), until(stay.to))}
                  data-status={stay.status}
                  title={[title, stay.attempt > 1 && t(again, { n: stay.attempt })].filter(Boolean).join(", ")}
                />
              ))}
              {stays.flatMap(({ waits }) =>
                waits.map(({ from, to }) => (
                  <span
                    key={from}
                    className="wait"
                    style={place(Date.parse(from), until(to))}
                    title={t("work.timeline.wait")}
                  />
                )),
              )}
              {stays
                .flatMap((stay) => findPauses(stay, pauses, now))
                .map(([from, to]) => (
                  <span key={from} className="wait" style={place(from, to)} title={t("status.paused")} />
                ))}
            </span>
            <time className="took figure">
              {stays.length > 0 && span(stays.reduce((sum, stay) => sum + measureSeconds(stay, pauses, now), 0))}
            </time>
          </li>
        ))}
      </ol>
      {(hasPauses || spans.some(({ waits }) => waits.length > 0)) && (
        <p className="key row">
          <span className="wait" aria-hidden /> {t(hasPauses ? "work.timeline.legend.paused" : "work.timeline.legend")}
        </p>
      )}
    </>
  );
});

/** The share of the axis that waits take at most: a night before an answer does not hide the work. */
const MOST_WAITING = 0.25;

/** Return the place of a moment on the axis, from 0 to 1. */
function layOutTime(stretches: Stretch[], begin: number, end: number, now: number): (moment: number) => number {
  const waits = stretches
    .map(({ from, to }) => ({ from: Date.parse(from), to: to ? Date.parse(to) : now }))
    .sort((a, b) => a.from - b.from);
  /** Return how long was waited, or paused, until a moment; waits that overlap count once. */
  function waited(moment: number): number {
    let [sum, until] = [0, begin];
    for (const { from, to } of waits) {
      const last = Math.min(to, moment);
      sum += Math.max(last - Math.max(from, until), 0);
      until = Math.max(until, last);
    }
    return sum;
  }
  const waiting = waited(end);
  const most = ((end - begin - waiting) * MOST_WAITING) / (1 - MOST_WAITING);
  const shrunk = waiting > most ? most / waiting : 1;
  const along = (moment: number) => moment - begin - waited(moment) * (1 - shrunk);
  return (moment) => along(moment) / (along(end) || 1);
}

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
