import { expect, test } from "vitest";

import type { RunSummary } from "../src/api/client";
import { findTwins } from "../src/parts/twins";

const run = (run_id: string, query: string) => ({ run_id, query }) as RunSummary;

test("runs that ask the same as another are twins", () => {
  expect(findTwins([run("a", "One?"), run("b", "Two?"), run("c", "One?")])).toEqual(new Set(["a", "c"]));
});
