import { expect, test } from "vitest";

import { findOrder, tellOrder } from "../../src/parts/phases/phase-order";

const tell = (phases: Record<string, string>) => {
  const ids = Object.keys(phases);
  return tellOrder(
    findOrder(
      ids,
      Object.values(phases).map((after) => after.split(" ").filter(Boolean)),
    ),
    ids,
  );
};

test.each<[string, Record<string, string>, string]>([
  ["a line", { a: "", b: "a", c: "b" }, "a → b → c"],
  ["branches that meet", { a: "", b: "a", c: "a", d: "b c" }, "a → (b + c) → d"],
  ["branches that do not", { a: "", b: "a", c: "a" }, "a → (b + c)"],
  ["a longer branch", { a: "", b: "a", c: "b", d: "a", e: "c d" }, "a → (b → c + d) → e"],
  ["a branch that branches", { a: "", b: "a", c: "b", d: "b", e: "c d", f: "a" }, "a → (b → (c + d) → e + f)"],
  ["one that another also skips to", { a: "", b: "a", c: "a b" }, "a → b → c"],
  ["two beginnings", { a: "", b: "", c: "a b" }, "(a + b) → c"],
  ["branches that lead into each other", { a: "", b: "", c: "a b", d: "b", e: "c d" }, "(a + b) → (c + d) → e"],
  ["a cycle", { a: "b", b: "a" }, "a → b"],
  ["nothing", {}, ""],
])("the order of %s is told", (_, phases, told) => expect(tell(phases)).toBe(told));
