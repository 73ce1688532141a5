/** What a checkpoint about money asks, by what is met: the run's cap, its long documents, or an operator's budget. */

import type { Checkpoint, Subject } from "../../api/client";

export type Budget = Extract<Subject, { type: "budget" }>;

/** `opens`: the run goes on by itself at the checkpoint's deadline, when the budget opens; `closed`: it finishes then. */
export type BudgetCase = "cap" | "documents" | "opens" | "closed";

export function findBudgetCase({ budget, documents = [] }: Budget, deadline: Checkpoint["deadline"]): BudgetCase {
  if (!budget) return documents.length > 0 ? "documents" : "cap";
  const opens = budget.opens_on && Date.parse(`${budget.opens_on}T00:00:00Z`);
  return opens && opens <= Date.parse(deadline) ? "opens" : "closed";
}
