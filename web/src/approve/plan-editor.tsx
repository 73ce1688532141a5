import { Rows } from "../parts/form/rows";
import { useWords, type Key } from "../strings";
import { EMPTY_STEP, LISTS, TEXTS, type Plan, type PlanStep } from "./plan";

/** The plan in fields: rows may be reworded, moved, added and taken out. */
export function PlanEditor({ plan, onChange }: { plan: Plan; onChange(plan: Plan): void }) {
  const { t } = useWords();
  const set = (change: Partial<Plan>) => onChange({ ...plan, ...change });
  return (
    <div className="plan-editor">
      {TEXTS.map((name) => (
        <label className="field" key={name}>
          <span>{t(`plan.${name}` satisfies Key)}</span>
          <textarea rows={1} value={plan[name]} onChange={(event) => set({ [name]: event.target.value })} />
        </label>
      ))}
      <Rows<PlanStep>
        title={t("plan.steps")}
        adds={t("plan.add.steps")}
        rows={plan.steps}
        made={EMPTY_STEP}
        onChange={(steps) => set({ steps })}
        draw={(step, change, label) => (
          <span className="step-fields">
            <input
              aria-label={`${label}: ${t("plan.step.name")}`}
              placeholder={t("plan.step.name")}
              value={step.name}
              onChange={(event) => change({ ...step, name: event.target.value })}
            />
            <textarea
              rows={1}
              aria-label={`${label}: ${t("plan.step.description")}`}
              placeholder={t("plan.step.description")}
              value={step.description}
              onChange={(event) => change({ ...step, description: event.target.value })}
            />
          </span>
        )}
      />
      {LISTS.map((name) => (
        <Rows<string>
          key={name}
          title={t(`plan.${name}` satisfies Key)}
          adds={t(`plan.add.${name}` satisfies Key)}
          rows={plan[name]}
          made=""
          onChange={(rows) => set({ [name]: rows })}
          draw={(row, change, label) => (
            <input aria-label={label} value={row} onChange={(event) => change(event.target.value)} />
          )}
        />
      ))}
    </div>
  );
}
