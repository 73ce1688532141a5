/** The order of a definition's phases as text reads it: one after another, and branches beside each other. */

import { layOut } from "./graph-layout";
import { pick } from "../pick";

/** Stages one after another, each a phase by its index, or the branches that run side by side. */
export type Order = (number | Order[])[];

/** Return the order of phases; `before` are the ids that each comes after. A cycle is cut somewhere. */
export function findOrder(ids: string[], before: string[][]): Order {
  const places = layOut(ids, before);
  const above = places.map(({ depth, after }) => after.filter((one) => pick(places, one).depth < depth));
  const byDepth = [...ids.keys()].sort((a, b) => pick(places, a).depth - pick(places, b).depth);
  const ancestors = new Map<number, Set<number>>();
  for (const n of byDepth) {
    ancestors.set(n, new Set(pick(above, n).flatMap((one) => [one, ...ancestors.get(one)!])));
  }
  const isBefore = (a: number, b: number) => ancestors.get(b)!.has(a);

  function order(phases: number[]): Order {
    const branches = findConnected(phases, above);
    if (branches.length > 1) return [branches.map(order)];
    const passed = phases.filter((n) => phases.every((one) => one === n || isBefore(one, n) || isBefore(n, one)));
    if (passed.length === 0 && phases.length > 0) return orderByDepth(phases);
    return [...passed, null].flatMap((next, n) => {
      const last = passed[n - 1];
      const between = phases.filter(
        (one) => (last === undefined || isBefore(last, one)) && (next === null || isBefore(one, next)),
      );
      return [...(between.length > 0 ? order(between) : []), ...(next === null ? [] : [next])];
    });
  }

  /** Branches that lead into each other cannot be told apart: phases of one depth run side by side. */
  function orderByDepth(phases: number[]): Order {
    const rows = Map.groupBy(phases, (n) => pick(places, n).depth);
    return [...rows.values()].map((row) => (row.length > 1 ? row.map((n) => [n]) : pick(row, 0)));
  }

  return byDepth.length > 0 ? order(byDepth) : [];
}

/** Return the phases in groups that no line joins, each in the order given. */
function findConnected(phases: number[], above: number[][]): number[][] {
  const groupOf = new Map(phases.map((n) => [n, n]));
  for (const n of phases) {
    for (const one of pick(above, n)) {
      const [from, to] = [groupOf.get(one), groupOf.get(n)];
      if (from === undefined || from === to) continue;
      for (const [each, group] of groupOf) if (group === to) groupOf.set(each, from);
    }
  }
  return [...Map.groupBy(phases, (n) => groupOf.get(n)!).values()];
}

/** Return the order in a line, branches in brackets: “Plan → (Research + Analyse) → Write”. */
export function tellOrder(order: Order, titles: string[]): string {
  return order
    .map((stage) =>
      typeof stage === "number"
        ? pick(titles, stage)
        : `(${stage.map((branch) => tellOrder(branch, titles)).join(" + ")})`,
    )
    .join(" → ");
}
