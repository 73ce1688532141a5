/** The plan of a run as it stands, and who decided what about it. */

import type { RunState } from "../api/client";
import type { RunLog } from "../run/run-log";
import { Readable } from "../parts/readable";
import { useWords, type Key } from "../strings";
import "./approve.css";
import { isPlan } from "./plan";
import { PlanPage } from "./plan-page";

export default function PlanView({ state }: { state: RunState; log: RunLog }) {
  const { t, date, served } = useWords();
  return (
    <div className="approve">
      <div className="sheet">{isPlan(state.plan) ? <PlanPage plan={state.plan} files={state.files} /> : <Readable value={state.plan} />}</div>
      {state.decisions.length > 0 && (
        <aside className="terms">
          <h3>{t("plan.decisions")}</h3>
          <ol className="decisions">
            {state.decisions.map((decision) => (
              <li key={`${decision.checkpoint_id} ${decision.at}`}>
                <b>{t(`decision.${decision.action}` satisfies Key)}</b>
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
