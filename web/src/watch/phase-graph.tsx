import { memo, useMemo } from "react";

import type { Definition, PhaseView, RunState } from "../api/client";
import { Lamp } from "../parts/lamp";
import { useWords } from "../strings";

interface Node {
  phase: PhaseView;
  column: number;
  row: number;
  after: string[];
}

const WIDTH = 113;
const HEIGHT = 66;
const GAP_X = 21;
const GAP_Y = 14;

/** A phase stands right of all that it comes after; phases that run beside each other share a column. */
function layOut(phases: PhaseView[], definition: Definition | undefined): Node[] {
  const nodes = new Map<string, Node>();
  const rows: number[] = [];
  phases.forEach((phase, n) => {
    const said = definition?.phases.find((one) => one.id === phase.id)?.after;
    const after = (said ?? (n > 0 ? [phases[n - 1]!.id] : [])).filter((id) => nodes.has(id));
    const column = Math.max(-1, ...after.map((id) => nodes.get(id)!.column)) + 1;
    const row = (rows[column] = (rows[column] ?? -1) + 1);
    nodes.set(phase.id, { phase, column, row, after });
  });
  return [...nodes.values()];
}

interface Given {
  state: RunState;
  definition: Definition | undefined;
  chosen: string | null;
  onChoose(phase: string | null): void;
}

export const PhaseGraph = memo(function PhaseGraph({ state, definition, chosen, onChoose }: Given) {
  const { t, usd, span } = useWords();
  const nodes = useMemo(() => layOut(state.phases, definition), [state.phases, definition]);
  const at = new Map(nodes.map((node) => [node.phase.id, node]));
  const width = (Math.max(...nodes.map((node) => node.column)) + 1) * (WIDTH + GAP_X) - GAP_X;
  const height = (Math.max(...nodes.map((node) => node.row)) + 1) * (HEIGHT + GAP_Y) - GAP_Y;
  const x = (node: Node) => node.column * (WIDTH + GAP_X);
  const y = (node: Node) => node.row * (HEIGHT + GAP_Y);
  const place = (node: Node) => ({ left: x(node), top: y(node), width: WIDTH, height: HEIGHT });
  return (
    <div className="graph" role="region" aria-label={t("work.graph")} tabIndex={0}>
      <div style={{ width, height }}>
        <svg width={width} height={height} aria-hidden>
          {nodes.flatMap((node) =>
            node.after.map((id) => {
              const from = at.get(id)!;
              const [x1, y1] = [x(from) + WIDTH, y(from) + HEIGHT / 2];
              const [x2, y2] = [x(node), y(node) + HEIGHT / 2];
              const path = `M${x1} ${y1} C${x1 + GAP_X / 2} ${y1} ${x2 - GAP_X / 2} ${y2} ${x2} ${y2}`;
              return <path key={`${id} ${node.phase.id}`} d={path} data-status={from.phase.status} />;
            }),
          )}
        </svg>
        {nodes.map((node) => {
          const { id, title, status, started_at, ended_at, usage, attempt } = node.phase;
          const seconds = started_at && ended_at ? (Date.parse(ended_at) - Date.parse(started_at)) / 1000 : null;
          const cost = usage.usd > 0 && !state.offline ? usd(usage.usd) : "";
          const facts = [
            seconds === null ? t(status === "waiting" ? "status.phase.waiting" : `status.${status}`) : span(seconds),
            cost,
            attempt > 1 && t("work.attempt", { n: attempt }),
          ];
          return (
            <button
              key={id}
              type="button"
              style={place(node)}
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
