/** What is decided on: a plan, the result of a step, ideas to choose from, or results. */

import type { ReactNode } from "react";

import type { Choice, Plan, PlanChange, ShownOutput, Subject } from "../../api/client";
import { useWords, type Words } from "../../strings";
import { BudgetFacts } from "./budget-facts";
import { IdeaCards } from "./idea-cards";
import { PlanChanges } from "../plan/plan-changes";
import { PlanPage } from "../plan/plan-page";
import { SubjectText, type OpenNote } from "./subject-text";

interface Given extends OpenNote {
  runId: string;
  checkpointId: string;
  /** The run's question. */
  question: string;
  subject: Subject;
  pace: ReactNode;
  /** What a plan costs and reaches, where that does not stand at its side. */
  facts: ReactNode;
  /** How the plan differs from the one shown before; null where it is approved already. */
  differences: PlanChange[] | null;
  files: string[];
  choices: Choice[];
  busy: boolean;
  onChoose: (choice: Choice) => void;
}

export function SubjectView({
  subject,
  pace,
  facts,
  question,
  differences,
  files,
  choices,
  busy,
  onChoose,
  ...at
}: Given) {
  switch (subject.type) {
    case "plan":
      return <PlanPage plan={subject.plan} files={files} question={question} pace={pace} facts={facts} />;
    case "step":
      return (
        <>
          {subject.text && <SubjectText {...at} named={subject.step?.name} />}
          {subject.next && <NextStep step={subject.next} isFirst={!subject.step} />}
          <FoldedPlan plan={subject.plan} differences={differences} files={files} question={question} />
        </>
      );
    case "ideas":
      return <IdeaCards ideas={subject.ideas} choices={choices} busy={busy} onChoose={onChoose} />;
    case "results":
      return <Outputs outputs={subject.results} {...at} />;
    case "budget":
      return <BudgetFacts subject={subject} />;
  }
}

function NextStep({ step, isFirst }: { step: Plan["steps"][number]; isFirst: boolean }) {
  const { t } = useWords();
  return (
    <section className="ruled" aria-labelledby="next-step">
      <h3 id="next-step" className="label">
        {t(isFirst ? "approve.step.first" : "approve.step.next")}
      </h3>
      <p>
        <b>{step.name}</b>
      </p>
      {step.description && <p>{step.description}</p>}
    </section>
  );
}

/** The plan below the decision's subject; it is unfolded until it is approved. */
function FoldedPlan({
  plan,
  differences,
  files,
  question,
}: Pick<Given, "differences" | "files" | "question"> & { plan: Plan }) {
  const { t } = useWords();
  return (
    <details className="context" open={differences !== null}>
      <summary>{t("approve.step.plan")}</summary>
      {differences && <PlanChanges changes={differences} />}
      <PlanPage plan={plan} files={files} question={question} />
    </details>
  );
}

/** Outputs of phases, each as the report that it gives. */
export function Outputs({
  outputs,
  ...at
}: { outputs: ShownOutput[]; runId: string; checkpointId: string } & OpenNote) {
  return outputs.map(({ phase_id, title }) => (
    <section key={phase_id} aria-label={title}>
      <SubjectText {...at} phase={phase_id} />
    </section>
  ));
}

/** What the actions are called, by what they decide. */
export function nameActions(t: Words["t"], subject: Subject | null | undefined, isFailed: boolean) {
  const type = subject?.type === "budget" ? "step" : (subject?.type ?? "plan"); // both may stop the run
  return {
    approve: t(isFailed ? "approve.step.accept" : type === "ideas" ? "approve.approve" : `approve.${type}.approve`),
    revise: t(isFailed ? "approve.step.again" : `approve.${type}.revise`),
    send: t(`approve.${type}.send`),
    hint: t(`approve.${type}.hint`),
    sure: t(type === "step" ? "approve.step.stop.sure" : "approve.reject.sure"),
    yes: t(type === "step" ? "approve.step.stop.yes" : "approve.reject.yes"),
    reject: t(isFailed ? "approve.step.stop" : `approve.${type}.reject`),
  };
}
