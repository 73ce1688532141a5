import { useId } from "react";

import type { FieldProblem, Plan, PlanStep } from "../../api/client";
import { findWithin } from "../../parts/form/field-schema";
import { Rows } from "../../parts/form/rows";
import { Wrong } from "../../parts/form/wrong";
import { useWords, type Key } from "../../strings";
import { Facts } from "../../parts/text/facts";
import {
  describeStep,
  EMPTY_ASSUMPTION,
  EMPTY_STEP,
  listRows,
  LISTS,
  NUMBERS,
  STEP_FIELDS,
  STEP_NAMES,
  tellRow,
  TEXTS,
  writeRow,
  type Row,
  type StepName,
} from "./plan";

interface Given {
  plan: Plan;
  /** Numbers of the steps that are done: they stay as they are, and where they are. */
  done: number[];
  /** What is wrong, by the path in the plan. */
  problems: FieldProblem[];
  onChange: (plan: Plan) => void;
}

/** The plan in fields: rows may be reworded, moved, added and taken out. */
export function PlanEditor({ plan, done, problems, onChange }: Given) {
  const { t, say } = useWords();
  const roles = useId();
  const set = (change: Partial<Plan>) => onChange({ ...plan, ...change });
  return (
    <div className="plan-editor stack">
      {TEXTS.map((name) => (
        <label className="field" key={name}>
          <span>{t(`plan.${name}` satisfies Key)}</span>
          <textarea rows={1} value={plan[name] ?? ""} onChange={(event) => set({ [name]: event.target.value })} />
          <Wrong problems={findWithin(problems, name)} />
        </label>
      ))}
      <Rows<PlanStep>
        title={t("plan.steps")}
        adds={t("plan.add.steps")}
        rows={plan.steps}
        made={EMPTY_STEP}
        isFixed={(n) => done.includes(n + 1)}
        about={<Wrong problems={problems.filter(({ path }) => path === "steps")} />}
        onChange={(steps) => set({ steps })}
        draw={(step, change, label, _, n) =>
          done.includes(n + 1) ? (
            <DoneStep step={step} />
          ) : (
            <span className="step-fields">
              {STEP_NAMES.map((name) => (
                <StepField key={name} name={name} step={step} label={label} roles={roles} onChange={change} />
              ))}
              <label data-name="independent">
                <input
                  type="checkbox"
                  value="independent"
                  checked={step.independent}
                  aria-label={`${label}: ${t("plan.step.independent")}`}
                  onChange={(event) => change({ ...step, independent: event.target.checked })}
                />
                <small>{t("plan.step.independent")}</small>
              </label>
              <Wrong problems={findWithin(problems, `steps.${n}`)} />
            </span>
          )
        }
      />
      <datalist id={roles}>
        {[...new Set(plan.steps.map((step) => step.agent_role))].map((role) => (
          <option key={role} value={role} />
        ))}
      </datalist>
      {LISTS.filter((name) => name in plan).map((name) => (
        <Rows<Row>
          key={name}
          title={t(`plan.${name}` satisfies Key)}
          adds={t(`plan.add.${name}` satisfies Key)}
          rows={listRows(plan, name)}
          made={name === "assumptions" ? EMPTY_ASSUMPTION : ""}
          about={<Wrong problems={problems.filter(({ path }) => path === name)} />}
          onChange={(rows) => set({ [name]: rows })}
          draw={(row, change, label, _, n) => (
            <span>
              <input
                aria-label={label}
                value={tellRow(row, say)}
                onChange={(event) => change(writeRow(row, event.target.value))}
              />
              <Wrong problems={findWithin(problems, `${name}.${n}`)} />
            </span>
          )}
        />
      ))}
      {NUMBERS.map((name) => (
        <label className="field" key={name}>
          <span>{t(`plan.${name}` satisfies Key)}</span>
          <input
            type="number"
            min={1}
            placeholder={t("plan.any")}
            value={plan[name] ?? ""}
            onChange={(event) => set({ [name]: event.target.value === "" ? null : event.target.valueAsNumber })}
          />
          <Wrong problems={findWithin(problems, name)} />
        </label>
      ))}
    </div>
  );
}

function DoneStep({ step }: { step: PlanStep }) {
  const words = useWords();
  return (
    <div className="done-step">
      <b>{step.name}</b> <small>{words.t("plan.step.done")}</small>
      {step.description && <p className="muted">{step.description}</p>}
      <small>
        <Facts of={describeStep(step, words)} />
      </small>
    </div>
  );
}

interface StepGiven {
  name: StepName;
  step: PlanStep;
  label: string;
  /** The id of the roles that the plan names. */
  roles: string;
  onChange: (step: PlanStep) => void;
}

function StepField({ name, step, label, roles, onChange }: StepGiven) {
  const { t } = useWords();
  const called = t(`plan.step.${name}` satisfies Key);
  const Tag = STEP_FIELDS[name] === "lines" ? "textarea" : "input";
  const isAside = STEP_FIELDS[name] === "aside";
  return (
    <label data-name={name}>
      {isAside && <small>{called}</small>}
      <Tag
        {...(Tag === "textarea" && { rows: 1 })}
        {...(name === "agent_role" && { list: roles })}
        aria-label={`${label}: ${called}`}
        placeholder={isAside ? undefined : called}
        value={step[name]}
        onChange={(event: { target: { value: string } }) => onChange({ ...step, [name]: event.target.value })}
      />
    </label>
  );
}
