/** The plan of a run as it stands, and who decided what about it. */

import type { Decision, RunState } from "../api/client";
import { isCall, type RunLog } from "../run/run-log";
import { useWords, type Key } from "../strings";
import "./approve.css";
import { PlanPage } from "./plan-page";

export default function PlanView({ state, log }: { state: RunState; log: RunLog }) {
  const { t, date, served } = useWords();
  const changed = new Set(log.items.map((item) => !isCall(item) && item.payload["vote"] === "modify" && item.payload["plan_hash"]));
  /** Of a change that had to be approved anew, the decision is but that it was. */
  const nameAction = ({ action, plan_hash }: Decision) => (action === "approve" && plan_hash && changed.has(plan_hash) ? "modify" : action);
  return (
    <div className="approve">
      <div className="sheet">{state.plan && <PlanPage plan={state.plan} files={state.files} />}</div>
      {state.decisions.length > 0 && (
        <aside className="terms">
          <h3>{t("plan.decisions")}</h3>
          <ol className="decisions">
            {state.decisions.map((decision) => (
              <li key={`${decision.checkpoint_id} ${decision.at}`}>
                <b>{t(`decision.${nameAction(decision)}` satisfies Key)}</b>
                {decision.choice && <span> {decision.choice}</span>}
                <small>
                  {[decision.default ? t("decision.default") : decision.by, date(decision.at)].filter(Boolean).join(" · ")}
                </small>
                {decision.feedback && <p>{decision.feedback}</p>}
                {decision.scope && <p>{served(decision.scope)}</p>}
              </li>
            ))}
          </ol>
        </aside>
      )}
    </div>
  );
}
