/** Why a run may spend no more: whose limit is met, what is used of it, and when it opens. */

import { Fragment } from "react";

import { useWords, type Key } from "../../strings";
import type { Budget } from "./budget-case";

export function BudgetFacts({ subject }: { subject: Budget }) {
  const { t } = useWords();
  const facts = useFacts(subject);
  const { documents = [] } = subject;
  return (
    <>
      <dl className="figures">
        {facts.map(([name, fact]) => (
          <Fragment key={name}>
            <dt>{t(name)}</dt>
            <dd>{fact}</dd>
          </Fragment>
        ))}
      </dl>
      {subject.budget && <p className="muted">{t("approve.budget.operator")}</p>}
      {documents.length > 0 && (
        <>
          <p>{t("approve.budget.documents", { n: documents.length })}</p>
          <ul className="long-documents">
            {documents.map((url) => (
              <li key={url}>{url}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function useFacts({ budget: met, cap_usd: cap, spent_usd: spent }: Budget): [Key, string][] {
  const { t, usd, date } = useWords();
  if (!met) {
    return [
      ["approve.budget.cap", usd(cap)],
      ["approve.budget.spent", usd(spent)],
    ];
  }
  const opens = met.opens_on ? date(`${met.opens_on}T00:00:00Z`) : t("approve.budget.opens.never");
  return [
    ["approve.budget.whose", t(`settings.budgets.${met.kind}`, { holder: met.holder })],
    [`approve.budget.${met.period}`, usd(met.limit_usd)],
    ["approve.budget.used", usd(met.spent_usd)],
    ["approve.budget.call", t("approve.consequence.top", { top: usd(met.price_usd) })],
    ["approve.budget.opens", opens],
  ];
}
