/** The budget that a run has to do with: of those that pay for it, the one with the least left. */

import { useQuery } from "@tanstack/react-query";

import { listBudgets } from "../api/client";

export function useTightestBudget(runId: string) {
  const { data, isError } = useQuery({ queryKey: ["budgets", runId], queryFn: () => listBudgets(runId) });
  const [tightest] = (data ?? []).toSorted((one, other) => one.left_usd - other.left_usd);
  return { tightest, isUnknown: isError };
}
