import { expect, test } from "vitest";

import { nameApart } from "../../src/parts/text/name-apart";

test("names that are alike are numbered in their order, and names of objects are names", () => {
  const names = ["Plan", "Research", "constructor", "Research", "Research"];
  expect(nameApart(names)).toEqual(["Plan", "Research", "constructor", "Research 2", "Research 3"]);
});
