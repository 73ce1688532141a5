import { expect, test } from "vitest";

import type { RunSummary } from "../../src/api/client";
import { findSameQuestionRuns } from "../../src/parts/same-question-runs";

const run = (run_id: string, query: string, more: Partial<RunSummary> = {}) =>
  ({
    run_id,
    query,
    definition_id: "deep_research",
    definition_version: 1,
    started_at: "2026-01-01T00:00:10Z",
    ...more,
  }) as RunSummary;

test("runs that ask the same as another are told apart by what differs among them", () => {
  const runs = [
    run("a", "One?", { depth: "quick" }),
    run("b", "Two?", { depth: "quick" }),
    run("c", "One?", { depth: "standard", started_at: "2026-01-01T00:00:50Z" }),
    run("d", "One?", { depth: "quick", definition_version: 2, started_at: "2026-01-01T00:01:00Z" }),
  ];
  const both = { depth: true, version: true };
  expect(Object.fromEntries(findSameQuestionRuns(runs))).toEqual({
    a: { ...both, second: true },
    c: { ...both, second: true },
    d: { ...both, second: false },
  });
  expect(findSameQuestionRuns([run("a", "One?"), run("a", "One?")]).size).toBe(0); // one run, listed twice
});
