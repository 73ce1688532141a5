import { expect, test } from "vitest";

import type { RunState } from "../../src/api/client";
import { tellSpent } from "../../src/run-state/spent";
import { createWords, speak, withWords } from "../../src/strings";

test("what was spent is told with the limit that was approved, and alone before", async () => {
  speak("en"); // the files of tests share the module, and others speak German
  await withWords(Promise.resolve());
  const words = createWords("en");
  const phases = [{ kind: "planning" }, { kind: "hitl_checkpoint" }];
  const state = { offline: false, usage: { usd: 0.02 }, cap_usd: 0.7, phases, decisions: [] } as unknown as RunState;
  const decide = (action: string) => ({ ...state, decisions: [{ action }] }) as RunState;
  const approved = words.t("run.spent", { usd: "$0.02", cap: "$0.70" });
  expect(tellSpent(state, words)).toBe(words.t("run.spent.so-far", { usd: "$0.02" }));
  expect(tellSpent(decide("revise"), words)).toBe(words.t("run.spent.so-far", { usd: "$0.02" }));
  expect(tellSpent(decide("modify"), words)).toBe(approved);
  expect(tellSpent({ ...state, phases: [] }, words)).toBe(approved); // its start was the consent
  expect(tellSpent({ ...state, offline: true }, words)).toBe(words.t("run.free"));
});
