import { expect, test } from "vitest";

import { diffLists, diffWords } from "../../src/parts/text/diff";

const show = (pieces: { kind: string; value: unknown }[]) =>
  pieces.map(({ kind, value }) => `${kind} ${String(value)}`);

test("what stays is kept in order between what goes and what comes", () => {
  expect(show(diffLists(["a", "b", "c"], ["a", "x", "c"]))).toEqual(["same a", "removed b", "added x", "same c"]);
});

test("a diff applied to the text before gives the text after", () => {
  const [before, after] = ["one two  three", "one 2 three four"];
  const pieces = diffWords(before, after);
  const join = (kind: string) => pieces.filter((piece) => piece.kind !== kind).map((piece) => piece.value);
  expect(join("added").join("")).toBe(before);
  expect(join("removed").join("")).toBe(after);
});
