import { memo, useEffect, useState } from "react";

import type { Span } from "../run/run-log";
import { useWords } from "../strings";

const TICK_MS = 1_000;

/** What ran when, one line a phase: its stays, its waits for humans, its attempts. */
export const Timeline = memo(function Timeline({ spans, hasEnded }: { spans: Span[]; hasEnded: boolean }) {
  const { t, span } = useWords();
  const now = useNow(!hasEnded);
  if (spans.length === 0) return null;
  const begin = Date.parse(spans[0]!.from);
  const end = Math.max(...spans.map((one) => (one.to ? Date.parse(one.to) : now)), begin + 1_000);
  const place = (from: string, to: string | null) => {
    const [a, b] = [Date.parse(from), to ? Date.parse(to) : now];
    const left = ((a - begin) / (end - begin)) * 100;
    return { left: `${left}%`, width: `${Math.max(((b - a) / (end - begin)) * 100, 0.4)}%` };
  };
  const rows = Map.groupBy(spans, (one: Span) => one.phaseId);
  return (
    <ol className="timeline">
      {[...rows].map(([phaseId, stays]) => (
        <li key={phaseId}>
          <span>{stays[0]!.title}</span>
          <span className="bars">
            {stays.map((stay) => (
              <span
                key={`${stay.attempt} ${stay.from}`}
                className="bar"
                style={place(stay.from, stay.to)}
                data-status={stay.status}
                title={[stay.title, stay.attempt > 1 && t("work.attempt", { n: stay.attempt })].filter(Boolean).join(", ")}
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

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
