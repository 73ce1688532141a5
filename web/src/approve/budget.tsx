/** The decision about a cap that is met: how far it is raised, or whether the run finishes within it. */

import { useState } from "react";

import type { Decide, Subject } from "../api/client";
import { useWords } from "../strings";
import { ActionBar } from "./action-bar";

interface Given {
  subject: Extract<Subject, { type: "budget" }>;
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
      <ActionBar
        primary={
          <button
            type="button"
            className="primary"
            disabled={isPending || !isWithin}
            onClick={() => onDecide({ action: "approve", choice: "raise", cap_usd: cap })}
          >
            {t("approve.budget.raise", { usd: isWithin ? usd(cap) : "…" })}
          </button>
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
