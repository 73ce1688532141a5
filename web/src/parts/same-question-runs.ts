import type { RunSummary } from "../api/client";

/** What tells a run apart from others that ask the same; each only where it differs among them. */
export interface Apart {
  depth: boolean;
  version: boolean;
  /** Another one began in the same minute. */
  second: boolean;
}

/** Return how each run in a list differs from others of it that ask the same, by id; one that none does has no entry. */
export function findSameQuestionRuns(runs: RunSummary[]): Map<string, Apart> {
  const found = new Map<string, Apart>();
  for (const same of Map.groupBy(runs, ({ query }) => query).values()) {
    if (new Set(same.map((run) => run.run_id)).size < 2) continue;
    const differs = (by: (run: RunSummary) => unknown) => new Set(same.map(by)).size > 1;
    for (const run of same) {
      const alike = same.filter((one) => one.definition_id === run.definition_id);
      found.set(run.run_id, {
        depth: differs((one) => one.depth),
        version: new Set(alike.map((one) => one.definition_version)).size > 1,
        second: same.some((one) => one.run_id !== run.run_id && toMinute(one) === toMinute(run)),
      });
    }
  }
  return found;
}

const toMinute = ({ started_at: at }: RunSummary) => Math.floor(Date.parse(at) / 60_000);
