import type { RunSummary } from "../api/client";

/** Return the ids of the runs in a list that another run of it asks the same as: their times tell them apart. */
export function findTwins(runs: RunSummary[]): Set<string> {
  const groups = Map.groupBy(runs, ({ query }) => query);
  return new Set(
    [...groups.values()].filter(({ length }) => length > 1).flatMap((group) => group.map((run) => run.run_id)),
  );
}
