import { expect, test } from "vitest";

import { layOut } from "../../src/parts/phases/graph-layout";

test("parallel phases share a depth and stand in lanes of their own", () => {
  const places = layOut(["a", "b", "c", "d"], [[], ["a"], ["a"], ["b", "c"]]);
  expect(places.map(({ depth, lane }) => [depth, lane])).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 0],
  ]);
});

test("a cycle is cut", () => {
  expect(layOut(["a", "b"], [["b"], ["a"]])).toHaveLength(2);
});
