import type { Checkpoint, Plan, RunState } from "../api/client";
import { tellSpent } from "../run-state/spent";
import { useWords } from "../strings";
import { countSearches } from "./plan/plan";
import { useTightestBudget } from "./tightest-budget";
import { Facts } from "../parts/text/facts";

interface Given {
  state: RunState;
  checkpoint: Checkpoint;
  /** The plan that is shown, as it was changed here. */
  plan: Plan | null;
  /** Else its price and time are in sight already: only what budgets leave is said. */
  isPriced: boolean;
}

/** What follows from going on: its price and time, or what comes next. */
export function Consequence({ state, checkpoint: { subject }, plan, isPriced }: Given) {
  const words = useWords();
  const { t, usd } = words;
  const { tightest, isUnknown } = useTightestBudget(state.run_id);
  switch (subject?.type) {
    case "plan": {
      if (!plan) return null;
      const { expected_usd, top_usd } = plan.estimated_cost;
      const left = [
        tightest
          ? t(`approve.consequence.left.${tightest.kind}`, { usd: usd(tightest.left_usd), holder: tightest.holder })
          : "",
        isUnknown && !tightest ? t("approve.consequence.left.unknown") : "",
      ].filter(Boolean);
      if (!isPriced) {
        return (
          left.length > 0 && (
            <p className="consequence">
              <Facts of={left} />
            </p>
          )
        );
      }
      const rest = [
        state.offline ? "" : t("approve.consequence.top", { top: usd(top_usd) }),
        plan.estimated_duration,
        countSearches(plan) > 0 ? t("approve.consequence.searches", { n: countSearches(plan) }) : "",
        ...left,
      ];
      return (
        <p className="consequence">
          <b>{state.offline ? t("approve.free") : t("approve.about", { usd: usd(expected_usd) })}</b>{" "}
          <Facts of={rest} />
        </p>
      );
    }
    case "step":
      return (
        <p className="consequence">
          <b>
            {subject.next ? t("approve.consequence.next", { name: subject.next.name }) : t("approve.consequence.last")}
          </b>{" "}
          {tellSpent(state, words)}
        </p>
      );
    case "budget":
      return (
        <p className="consequence">
          <b>{t(subject.budget ? "approve.consequence.met" : "approve.consequence.budget")}</b>
        </p>
      );
    case "ideas":
    case "results":
      return <p className="consequence">{t(`approve.consequence.${subject.type}`)}</p>;
    default:
      return null;
  }
}
