/** Budgets that pay for one's runs, set by an operator: what is spent of each and what is left. */

import { useQuery } from "@tanstack/react-query";

import { listBudgets } from "../api/client";
import { ErrorNotice } from "../parts/notices";
import { useWords } from "../strings";

export function Budgets() {
  const { t, usd } = useWords();
  const budgets = useQuery({ queryKey: ["budgets"], queryFn: () => listBudgets() });
  if (budgets.error) return <ErrorNotice error={budgets.error} onRetry={() => void budgets.refetch()} />;
  if (!budgets.data?.length) return null;
  const tell = (spent: number, limit: number | null | undefined) =>
    limit == null ? t("settings.budgets.free") : t("settings.budgets.of", { spent: usd(spent), limit: usd(limit) });
  return (
    <section className="stack ruled" aria-labelledby="budgets">
      <h2 id="budgets">{t("settings.budgets")}</h2>
      <table>
        <thead>
          <tr>
            <th>{t("settings.budgets.whose")}</th>
            <th>{t("settings.budgets.day")}</th>
            <th>{t("settings.budgets.month")}</th>
            <th>{t("settings.budgets.left")}</th>
          </tr>
        </thead>
        <tbody>
          {budgets.data.map((budget) => (
            <tr key={`${budget.kind}/${budget.holder}`}>
              <td>{t(`settings.budgets.${budget.kind}`, { holder: budget.holder })}</td>
              <td>{tell(budget.day_spent_usd, budget.day_usd)}</td>
              <td>{tell(budget.month_spent_usd, budget.month_usd)}</td>
              <td>{usd(budget.left_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <small>{t("settings.budgets.utc")}</small>
    </section>
  );
}
