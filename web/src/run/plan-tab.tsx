/** A run's current plan, and the decisions on it. */

import type { Decision, RunState } from "../api/client";
import { useWords, type Key } from "../strings";
import "../approve/approve.css";
import { ChangeList } from "../approve/plan/plan-changes";
import { PlanPage } from "../approve/plan/plan-page";
import { Facts } from "../parts/text/facts";

export default function PlanTab({ state }: { state: RunState }) {
  const { t, date, say } = useWords();
  /** An approved change is shown as a modification. */
  const nameAction = ({ action, changed }: Decision) => (action === "approve" && changed?.length ? "modify" : action);
  return (
    <div className="approve">
      <div className="sheet card">
        {state.plan && <PlanPage plan={state.plan} files={state.files} question={state.query} />}
      </div>
      {state.decisions.length > 0 && (
        <aside className="terms stack">
          <h3 className="label">{t("plan.decisions")}</h3>
          <ol className="decisions stack">
            {state.decisions.map((decision) => (
              <li key={`${decision.checkpoint_id} ${decision.at}`}>
                <b>{t(`decision.${nameAction(decision)}` satisfies Key)}</b>
                {decision.choice && <span> {decision.choice}</span>}
                <small>
                  <Facts
                    of={[
                      decision.default ? t("decision.default") : decision.by,
                      decision.by_link && t("decision.link"),
                      decision.client && t("decision.client", { client: decision.client }),
                      date(decision.at),
                    ]}
                  />
                </small>
                {(decision.changed ?? []).length > 0 && (
                  <div className="changes">
                    <ChangeList changes={decision.changed ?? []} />
                  </div>
                )}
                {decision.feedback && <p>{decision.feedback}</p>}
                {decision.scope && <p>{decision.consent ? say(decision.consent, decision.scope) : decision.scope}</p>}
              </li>
            ))}
          </ol>
        </aside>
      )}
    </div>
  );
}
