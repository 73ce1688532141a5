/** Positions of a definition's phases: each below its predecessors, parallel phases next to each other. */

import { pick } from "../pick";

export interface Place {
  depth: number;
  lane: number;
  /** Indices of those that it comes after, as far as they are there. */
  after: number[];
}

/** Return a place for each node; `before` are the ids that each comes after. A cycle is cut somewhere. */
export function layOut(ids: string[], before: string[][]): Place[] {
  const at = new Map<string, number>();
  ids.forEach((id, n) => at.has(id) || at.set(id, n));
  const after = before.map((names) => names.flatMap((name) => at.get(name) ?? []));
  const depths = new Map<number, number>();
  const taken = new Set<string>();
  const lanes: number[] = [];
  return ids.map((_, n) => {
    const depth = measureDepth(n, after, depths);
    let lane = pick(after, n).length > 0 ? Math.min(...pick(after, n).map((one) => lanes[one] ?? 0)) : 0;
    while (taken.has(`${depth} ${lane}`)) lane++;
    taken.add(`${depth} ${lane}`);
    lanes[n] = lane;
    return { depth, lane, after: pick(after, n) };
  });
}

/** Return by how many steps a node comes after a first one. */
function measureDepth(start: number, after: number[][], known: Map<number, number>): number {
  const path = [start];
  while (path.length > 0) {
    const n = pick(path, -1);
    const open = pick(after, n).find((one) => !known.has(one) && !path.includes(one));
    if (open !== undefined) path.push(open);
    else {
      known.set(n, Math.max(-1, ...pick(after, n).map((one) => known.get(one) ?? -1)) + 1);
      path.pop();
    }
  }
  return known.get(start)!;
}
