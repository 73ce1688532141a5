import { memo, useMemo } from "react";

import type { Definition, RunState } from "../api/client";
import { layOut, type Place } from "../parts/phases/graph-layout";
import { Lamp } from "../parts/lamp";
import { standingOf } from "../run-state/outcome";
import { findPhasesBefore } from "../run-state/phases-before";
import type { Stretch } from "../run-state/run-log";
import { useWords, type Key } from "../strings";
import { measureSeconds } from "./pauses";
import { pick } from "../parts/pick";

const WIDTH = 113;
const HEIGHT = 66;
const GAP_X = 21;
const GAP_Y = 14;

interface Given {
  state: RunState;
  definition: Definition | undefined;
  pauses: Stretch[];
  /** The label of a repeated phase. */
  again: Key;
  chosen: string | null;
  onChoose: (phase: string | null) => void;
}

export const PhaseGraph = memo(function PhaseGraph({ state, definition, pauses, again, chosen, onChoose }: Given) {
  const { t, usd, span } = useWords();
  const { phases } = state;
  const places = useMemo(
    () =>
      layOut(
        phases.map(({ id }) => id),
        findPhasesBefore(phases, definition),
      ),
    [phases, definition],
  );
  const width = (Math.max(...places.map(({ depth }) => depth)) + 1) * (WIDTH + GAP_X) - GAP_X;
  const height = (Math.max(...places.map(({ lane }) => lane)) + 1) * (HEIGHT + GAP_Y) - GAP_Y;
  const x = (place: Place) => place.depth * (WIDTH + GAP_X);
  const y = (place: Place) => place.lane * (HEIGHT + GAP_Y);
  return (
    <div className="graph shaded" role="region" aria-label={t("work.graph")} tabIndex={0}>
      <div style={{ width, height }}>
        <svg width={width} height={height} aria-hidden>
          {places.flatMap((place, n) =>
            place.after.map((other) => {
              const from = pick(places, other);
              const [x1, y1] = [x(from) + WIDTH, y(from) + HEIGHT / 2];
              const [x2, y2] = [x(place), y(place) + HEIGHT / 2];
              const path = `M${x1} ${y1} C${x1 + GAP_X / 2} ${y1} ${x2 - GAP_X / 2} ${y2} ${x2} ${y2}`;
              return <path key={`${other} ${n}`} d={path} data-status={pick(phases, other).status} />;
            }),
          )}
        </svg>
        {places.map((place, n) => {
          const status = standingOf(pick(phases, n), state);
          const { id, title, started_at, ended_at, usage, attempt } = pick(phases, n);
          const seconds =
            started_at && ended_at
              ? measureSeconds({ from: started_at, to: ended_at }, pauses, Date.parse(ended_at))
              : null;
          const cost = usage.usd > 0 && !state.offline ? usd(usage.usd) : "";
          const facts = [
            seconds === null ? t(status === "waiting" ? "status.phase.waiting" : `status.${status}`) : span(seconds),
            cost,
            attempt > 1 && t(again, { n: attempt }),
          ];
          return (
            <button
              key={id}
              type="button"
              style={{ left: x(place), top: y(place), width: WIDTH, height: HEIGHT }}
              data-status={status}
              aria-pressed={chosen === id}
              onClick={() => onChoose(chosen === id ? null : id)}
            >
              <span>
                <Lamp status={status} /> {title}
              </span>
              <small>{facts.filter(Boolean).join(" · ")}</small>
            </button>
          );
        })}
      </div>
    </div>
  );
});
