/** The decision about a cap or a budget that is met: whether it is raised, the run tries again, or it finishes. */

import { useState } from "react";

import type { Decide } from "../../api/client";
import { useWords } from "../../strings";
import type { Budget } from "./budget-case";
import { ActionBar } from "../button-layout";

interface Given {
  subject: Budget;
  isPending: boolean;
  onDecide: (decision: Decide) => void;
  onStop: () => void;
}

export function BudgetActions({ subject, isPending, onDecide, onStop }: Given) {
  const { t, usd } = useWords();
  const [amount, setAmount] = useState(subject.offered_usd.toFixed(2));
  const cap = Number(amount);
  const isWithin = cap > subject.cap_usd && cap <= subject.most_usd;
  return (
    <>
      {!subject.budget && (
        <label className="field amount">
          <span>{t("approve.budget.amount")}</span>
          <input
            type="number"
            min={subject.cap_usd}
            max={subject.most_usd}
            step="0.01"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
          <small>{t("approve.budget.range", { low: usd(subject.cap_usd), most: usd(subject.most_usd) })}</small>
        </label>
      )}
      <ActionBar
        primary={
          subject.budget ? (
            <button
              type="button"
              className="primary"
              disabled={isPending}
              onClick={() => onDecide({ action: "approve", choice: "continue" })}
            >
              {t("approve.budget.continue")}
            </button>
          ) : (
            <button
              type="button"
              className="primary"
              disabled={isPending || !isWithin}
              onClick={() => onDecide({ action: "approve", choice: "raise", cap_usd: cap })}
            >
              {t("approve.budget.raise", { usd: isWithin ? usd(cap) : "…" })}
            </button>
          )
        }
        others={
          <>
            <button
              type="button"
              disabled={isPending}
              onClick={() => onDecide({ action: "approve", choice: "finish" })}
            >
              {t("approve.budget.finish")}
            </button>
            <button type="button" data-mode="reject" className="danger" disabled={isPending} onClick={onStop}>
              {t("approve.step.stop")}
            </button>
          </>
        }
      />
    </>
  );
}
