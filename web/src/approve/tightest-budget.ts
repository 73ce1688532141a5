/** The budget that a run has to do with: of those that pay for it, the one with the least left. */

import { useQuery } from "@tanstack/react-query";

import { listBudgets, type Budget } from "../api/client";

export function useTightestBudget(runId: string): Budget | undefined {
  const budgets = useQuery({ queryKey: ["budgets", runId], queryFn: () => listBudgets(runId) });
  return budgets.data?.reduce<Budget | undefined>(
    (least, one) => (least && (least.left_usd ?? 0) <= (one.left_usd ?? 0) ? least : one),
    undefined,
  );
}
