import { expect, test } from "vitest";

import type { Kind } from "../src/api/client";
import { readId, type DraftPhase, type Kinds } from "../src/compose/definition/draft";
import { findEnds, findMeeting, findPredecessors } from "../src/compose/definition/edits";
import { addMissing } from "../src/compose/definition/missing";

const kind = (name: string, provides: string[], needs: string[], web = false): [string, Kind] => [
  name,
  {
    kind: name,
    provides,
    web,
    needs: needs.map((need) => ({ name: need, required: true, anything: false })),
    variants: [],
  } as unknown as Kind,
];

const KINDS: Kinds = new Map([
  kind("planning", ["plan"], []),
  kind("hitl_checkpoint", ["approval"], ["plan"]),
  kind("research", ["sources", "findings"], ["plan"], true),
  kind("synthesis", ["report"], ["sources"]),
  kind("retrieval", ["fundamentals"], [], true),
  kind("analysis", ["analysis"], []),
]);

const order = (phases: DraftPhase[]) => phases.map((phase, n) => [readId(phase), ...findPredecessors(phases)[n]!]);

test("a phase that reaches the web gets a plan and its approval before it", () => {
  const written = addMissing([{ kind: "retrieval" }, { kind: "analysis" }], KINDS);
  expect(order(written)).toEqual([
    ["planning"],
    ["hitl_checkpoint", "planning"],
    ["retrieval", "hitl_checkpoint"],
    ["analysis", "retrieval"],
  ]);
});

test("an approval stands behind the plan that is there", () => {
  const written = addMissing([{ kind: "planning" }, { kind: "analysis" }, { kind: "research" }], KINDS);
  expect(written.map(readId)).toEqual(["planning", "hitl_checkpoint", "analysis", "research"]);
});

test("what is missing of what is missing is added too", () => {
  expect(addMissing([{ kind: "synthesis" }], KINDS).map(readId)).toEqual([
    "planning",
    "hitl_checkpoint",
    "research",
    "synthesis",
  ]);
});

test("nothing is added where nothing is missing, or where no kind gives it", () => {
  const whole: DraftPhase[] = [{ kind: "planning" }, { kind: "hitl_checkpoint" }, { kind: "research" }];
  expect(addMissing(whole, KINDS)).toBe(whole);
  const alone: DraftPhase[] = [{ kind: "synthesis" }];
  expect(addMissing(alone, new Map([kind("synthesis", ["report"], ["sources"])]))).toBe(alone);
});

test("branches end where nothing that is switched on comes after", () => {
  const branches: DraftPhase[] = [
    { kind: "planning" },
    { kind: "analysis", id: "a" },
    { kind: "analysis", id: "b", after: ["planning"] },
    { kind: "synthesis", after: ["b"], enabled: false },
  ];
  expect(findEnds(branches)).toEqual([1, 2]);
  expect(findEnds([...branches, { kind: "synthesis", id: "c", after: ["a", "b"] }])).toEqual([4]);
});

test("branches meet in one that writes a report, and never in one that does not", () => {
  const start = [{ kind: "planning" }, { kind: "hitl_checkpoint" }];
  const branch = (name: string) => ({ kind: name, after: ["hitl_checkpoint"] });
  expect(findMeeting([...start, branch("research"), branch("analysis")], KINDS)).toBeNull();
  const report = branch("synthesis");
  expect(findMeeting([...start, report, branch("analysis")], KINDS)).toBe(report);
});
