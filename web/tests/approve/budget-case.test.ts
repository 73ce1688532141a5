import { expect, test } from "vitest";

import { findBudgetCase, type Budget } from "../../src/approve/subjects/budget-case";

const DEADLINE = "2026-12-02T00:00:00+00:00";
const CAP = { type: "budget", spent_usd: 0.4, cap_usd: 0.5, offered_usd: 0.8, most_usd: 2 } as Budget;
const meet = (opens_on: string | null) =>
  ({
    ...CAP,
    budget: { kind: "user", holder: "ana", period: "day", limit_usd: 1, spent_usd: 1, price_usd: 0.1, opens_on },
  }) as Budget;

test.each([
  ["a cap that may not pay for the rest", CAP, "cap"],
  ["documents that are longer than was priced", { ...CAP, documents: ["https://a.example/1"] }, "documents"],
  ["a budget that opens at the deadline", meet("2026-12-02"), "opens"],
  ["a budget that opens later", meet("2026-12-03"), "closed"],
  ["a budget that never pays for the call", meet(null), "closed"],
] as const)("%s", (_, subject, named) => {
  expect(findBudgetCase(subject as Budget, DEADLINE)).toBe(named);
});
