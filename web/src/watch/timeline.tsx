import { memo, useEffect, useState } from "react";

import type { PhaseView } from "../api/client";
import type { Span } from "../run/run-log";
import { useWords } from "../strings";

const TICK_MS = 1_000;

interface Given {
  spans: Span[];
  phases: PhaseView[];
  hasEnded: boolean;
}

/** What ran when, one line a phase: its stays, its waits for humans, its attempts. */
export const Timeline = memo(function Timeline({ spans, phases, hasEnded }: Given) {
  const { t, span } = useWords();
  const now = useNow(!hasEnded);
  if (spans.length === 0) return null;
  const begin = Date.parse(spans[0]!.from);
  const end = Math.max(...spans.map((one) => (one.to ? Date.parse(one.to) : now)), begin + 1_000);
  const axis = layOutTime(spans, begin, end, now);
  const place = (from: string, to: string | null) => {
    const [a, b] = [axis(Date.parse(from)), axis(to ? Date.parse(to) : now)];
    return { left: `${a * 100}%`, width: `${Math.max((b - a) * 100, 0.4)}%` };
  };
  const rows = Map.groupBy(spans, (one: Span) => one.phaseId);
  const titles = new Map(phases.map(({ id, title }) => [id, title]));
  return (
    <ol className="timeline">
      {[...rows].map(([phaseId, stays]) => (
        <li key={phaseId}>
          <span>{titles.get(phaseId)}</span>
          <span className="bars">
            {stays.map((stay) => (
              <span
                key={`${stay.attempt} ${stay.from}`}
                className="bar"
                style={place(stay.from, stay.to)}
                data-status={stay.status}
                title={[titles.get(phaseId), stay.attempt > 1 && t("work.attempt", { n: stay.attempt })].filter(Boolean).join(", ")}
              />
            ))}
            {stays.flatMap((stay) =>
              stay.waits.map((wait) => (
                <span key={wait.from} className="wait" style={place(wait.from, wait.to)} title={t("work.timeline.wait")} />
              )),
            )}
          </span>
          <time className="took">
            {span(stays.reduce((sum, stay) => sum + ((stay.to ? Date.parse(stay.to) : now) - Date.parse(stay.from)) / 1000, 0))}
          </time>
        </li>
      ))}
    </ol>
  );
});

/** The share of the axis that waits take at most: a night before an answer does not hide the work. */
const MOST_WAITING = 0.25;

/** Return the place of a moment on the axis, from 0 to 1. */
function layOutTime(spans: Span[], begin: number, end: number, now: number): (moment: number) => number {
  const waits = spans
    .flatMap((span) => span.waits)
    .map(({ from, to }) => ({ from: Date.parse(from), to: to ? Date.parse(to) : now }))
    .sort((a, b) => a.from - b.from);
  /** Return for how long a human was waited for until a moment; waits that overlap count once. */
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
