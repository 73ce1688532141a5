import { expect, test } from "vitest";

import type { Kind } from "../../src/api/client";
import { readId, type DraftPhase, type Kinds } from "../../src/compose/definition/draft";
import { findEnds, findJoin, findPredecessors } from "../../src/compose/definition/edits";
import { addMissing } from "../../src/compose/definition/missing";

/** A need with `*` takes what all earlier phases give. */
const kind = (name: string, provides: string[], needs: string[], web = false): [string, Kind] => [
  name,
  {
    kind: name,
    provides,
    web,
    needs: needs.map((need) => ({
      name: need.replace("*", ""),
      required: true,
      many: need.endsWith("*"),
      anything: need === "input",
    })),
    variants: [],
  } as unknown as Kind,
];

const KINDS: Kinds = new Map([
  kind("planning", ["plan"], []),
  kind("hitl_checkpoint", ["approval"], ["plan"]),
  kind("research", ["sources", "findings"], ["plan"], true),
  kind("synthesis", ["report"], ["sources*", "findings*"]),
  kind("validation", ["report", "validation"], ["report", "sources*"]),
  kind("crew", ["sources", "findings", "report"], ["plan"], true),
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

const START: DraftPhase[] = [{ kind: "planning" }, { kind: "hitl_checkpoint" }];
const branch = (kind: string) => ({ kind, after: ["hitl_checkpoint"] });

test("branches meet in the phase that writes the report from what the others find", () => {
  const long = [...START, { kind: "research" }, { kind: "synthesis" }, { kind: "validation" }];
  const join = findJoin([...long, branch("crew")], KINDS)!;
  expect([join.meeting["kind"], join.isNew]).toEqual(["synthesis", false]);
  expect(order(join.phases)).toContainEqual(["synthesis", "research", "crew"]);
  expect(findEnds(join.phases).map((n) => join.phases[n]!["kind"])).toEqual(["validation"]);
});

test.each([
  ["research", "crew"],
  ["crew", "research"],
  ["research", "research"],
  ["crew", "crew"],
])("of branches %s and %s neither is put after the other: a phase is added that reads both", (one, other) => {
  const phases = [...START, branch(one), { ...branch(other), id: "second" }];
  const join = findJoin(phases, KINDS)!;
  expect([join.meeting["kind"], join.isNew]).toEqual(["synthesis", true]);
  expect(order(join.phases).slice(2)).toEqual([
    [one, "hitl_checkpoint"],
    ["second", "hitl_checkpoint"],
    ["synthesis", one, "second"],
  ]);
});

test("branches that nothing reads together are left as they are, and so is a line", () => {
  expect(findJoin([...START, branch("retrieval"), branch("analysis")], KINDS)).toBeNull();
  expect(findJoin([...START, { kind: "research" }], KINDS)).toBeNull();
});
