import type { ReactNode } from "react";

import type { Plan } from "../../api/client";
import { nameDepth } from "../../parts/depth-rows";
import { isSameText } from "../../parts/text/same-words";
import { useWords, type Key } from "../../strings";
import { describeStep, joinSearches, listRows, tellRow, type ListField } from "./plan";
import { Facts } from "../../parts/text/facts";

interface Given {
  plan: Plan;
  files: string[];
  /** The run's question, which stands above: a title that repeats it is left out. */
  question: string;
  /** When one sees what a step gave; where it is approved that is known. */
  pace?: ReactNode;
  /** What it costs and reaches, which one decides on: below what it is for. */
  facts?: ReactNode;
}

/** The plan as a page to read: what for, what is done, what is searched, what comes of it. */
export function PlanPage({ plan, files, question, pace, facts }: Given) {
  const words = useWords();
  const { t, usd } = words;
  const searches = joinSearches(plan).search_terms;
  return (
    <article className="plan stack">
      {!isSameText(plan.title, question) && <h2>{plan.title}</h2>}
      {plan.goal && <p className="goal">{plan.goal}</p>}
      {facts}
      <NotHeld lines={plan.not_held ?? []} />
      <PlanList plan={plan} name="requirements" isOrdered />
      <section>
        <h3 className="label">{t("plan.steps")}</h3>
        <ol className="steps">
          {plan.steps.map((step, n) => (
            <li key={n}>
              <b>{step.name}</b>
              {step.description && <p className="muted">{step.description}</p>}
              <small>
                <Facts of={describeStep(step, words)} />
              </small>
            </li>
          ))}
        </ol>
        {plan.steps.length > 1 && pace}
      </section>
      {searches.length > 0 && (
        <section>
          <h3 className="label">{t("plan.search_terms")}</h3>
          <ul className="chips">
            {searches.map((term) => (
              <li key={term}>{term}</li>
            ))}
          </ul>
        </section>
      )}
      {files.length > 0 && (
        <section>
          <h3 className="label">{t("ask.files")}</h3>
          <ul className="chips">
            {files.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </section>
      )}
      <PlanServers plan={plan} />
      <PlanList plan={plan} name="assumptions" />
      <details className="context">
        <summary>{t("plan.more")}</summary>
        <div className="stack">
          {plan.geographical_scope && (
            <section>
              <h3 className="label">{t("plan.geographical_scope")}</h3>
              <p>{plan.geographical_scope}</p>
            </section>
          )}
          {plan.as_of && (
            <section>
              <h3 className="label">{t("plan.as_of")}</h3>
              <p>{plan.as_of}</p>
            </section>
          )}
          {plan.max_age_days != null && (
            <section>
              <h3 className="label">{t("plan.max_age_days")}</h3>
              <p>{t("plan.max_age_days.most", { n: plan.max_age_days })}</p>
            </section>
          )}
          <section>
            <h3 className="label">{t("plan.depth")}</h3>
            <p>{t(nameDepth(plan.depth))}</p>
          </section>
          {plan.wished_usd != null && (
            <section>
              <h3 className="label">{t("plan.wished_usd")}</h3>
              <p>{usd(plan.wished_usd)}</p>
            </section>
          )}
          {plan.focus_areas.length > 0 && (
            <section>
              <h3 className="label">{t("plan.focus_areas")}</h3>
              <p>{plan.focus_areas.join(", ")}</p>
            </section>
          )}
          <PlanList plan={plan} name="measures" />
          <PlanList plan={plan} name="outline" isOrdered />
        </div>
      </details>
    </article>
  );
}

/** The servers whose tools the plan lets agents call: each tool's effect and description. */
function PlanServers({ plan }: { plan: Plan }) {
  const { t, say, usd } = useWords();
  if (!plan.servers?.length) return null;
  return (
    <section className="servers">
      <h3 className="label">{t("plan.servers")}</h3>
      <small className="muted">{t("plan.servers.own")}</small>
      {plan.servers.map(({ name, address, max_calls, usd_per_call = 0, tools = [], notes = [] }) => (
        <div key={name}>
          <p>
            <b>{name}</b>{" "}
            <small>
              <Facts
                of={[
                  address,
                  t("plan.servers.calls", { n: max_calls }),
                  usd_per_call > 0 && t("plan.servers.usd", { usd: usd(usd_per_call) }),
                ]}
              />
            </small>
          </p>
          <ul>
            {tools.map((tool) => (
              <li key={tool.name}>
                <code>{tool.name}</code>{" "}
                {tool.changes ? (
                  <b>{t("plan.servers.changes")}</b>
                ) : (
                  <span className="muted">{t("plan.servers.reads")}</span>
                )}{" "}
                <small className="muted">{tool.hash.slice(0, 12)}</small>
                {tool.description && (
                  <p className="muted">
                    <q>{tool.description}</q>
                  </p>
                )}
              </li>
            ))}
            {notes.map((note, n) => (
              <li key={n} className="muted">
                {say(note)}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** Decisive points that the searched sources do not seem to contain, shown before the paid parts. */
function NotHeld({ lines }: { lines: string[] }) {
  const { t } = useWords();
  if (lines.length === 0) return null;
  return (
    <section>
      <h3 className="label">{t("plan.not_held")}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

function PlanList({ plan, name, isOrdered = false }: { plan: Plan; name: ListField; isOrdered?: boolean }) {
  const { t, say } = useWords();
  const rows = [...new Set(listRows(plan, name).map((row) => tellRow(row, say)))];
  if (rows.length === 0) return null;
  const List = isOrdered ? "ol" : "ul";
  return (
    <section>
      <h3 className="label">{t(`plan.${name}` satisfies Key)}</h3>
      <List>
        {rows.map((row) => (
          <li key={row}>{row}</li>
        ))}
      </List>
    </section>
  );
}
