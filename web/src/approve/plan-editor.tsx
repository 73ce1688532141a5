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

interface RowsGiven<T> {
  title: string;
  rows: T[];
  made: T;
  onChange(rows: T[]): void;
  draw(row: T, change: (row: T) => void, label: string): React.ReactNode;
}

function Rows<T>({ title, rows, made, onChange, draw }: RowsGiven<T>) {
  const { t } = useWords();
  const without = (n: number) => rows.filter((_, at) => at !== n);
  const move = (from: number, to: number) => onChange(without(from).toSpliced(to, 0, rows[from]!));
  return (
    <fieldset>
      <legend>{title}</legend>
      <ol className="edit-rows">
        {rows.map((row, n) => {
          const label = `${title} ${n + 1}`;
          return (
            <li key={n}>
              {draw(row, (changed) => onChange(rows.with(n, changed)), label)}
              <span className="row-actions">
                <button type="button" className="quiet" disabled={n === 0} aria-label={t("plan.up", { row: label })} onClick={() => move(n, n - 1)}>
                  ↑
                </button>
                <button
                  type="button"
                  className="quiet"
                  disabled={n === rows.length - 1}
                  aria-label={t("plan.down", { row: label })}
                  onClick={() => move(n, n + 1)}
                >
                  ↓
                </button>
                <button type="button" className="quiet" aria-label={t("plan.remove", { row: label })} onClick={() => onChange(without(n))}>
                  ✕
                </button>
              </span>
            </li>
          );
        })}
      </ol>
      <button type="button" className="quiet" onClick={() => onChange([...rows, made])}>
        + {t("plan.add", { title })}
      </button>
    </fieldset>
  );
}
