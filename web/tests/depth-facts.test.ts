import { beforeAll, expect, test } from "vitest";

import type { DepthPrice } from "../src/api/client";
import { tellDepthsApart } from "../src/parts/depth-facts";
import { createWords, speak, withWords } from "../src/strings";

beforeAll(async () => {
  speak("en");
  await withWords(Promise.resolve());
});

const depth = (usd: number, high: number, agents: number) =>
  ({ price: { expected_usd: usd, top_usd: 2 * usd }, minutes: { low: 1, high, agents } }) as DepthPrice;

test("of each depth is said only what is not the same at all of them", () => {
  const words = createWords("en");
  const tell = (...depths: DepthPrice[]) => tellDepthsApart(depths, words).map((facts) => facts.length);
  expect(tell(depth(0.1, 4, 2), depth(0.3, 6, 3), depth(0.6, 6, 5))).toEqual([3, 3, 3]);
  expect(tell(depth(0.1, 6, 2), depth(0.3, 6, 3))).toEqual([2, 2]);
  expect(tell(depth(0.3, 4, 3), depth(0.3, 6, 3))).toEqual([1, 1]);
  expect(tell(depth(0.3, 6, 3), depth(0.3, 6, 3))).toEqual([0, 0]);
});

test("prices that are written alike are the same", () => {
  const words = createWords("en");
  expect(tellDepthsApart([depth(0.301, 6, 3), depth(0.302, 6, 3)], words)).toEqual([[], []]);
});
