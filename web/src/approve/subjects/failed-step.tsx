/** A step that failed all its attempts, before a human says what becomes of it. */

import type { Checkpoint, StepResult } from "../../api/client";
import { useWords } from "../../strings";

export interface Failed {
  step: StepResult;
  failure: "rejected" | "unanswered";
}

/** Return a checkpoint's failed step and the reason; null without one. */
export const findFailedStep = ({ subject }: Checkpoint): Failed | null =>
  subject?.type === "step" && subject.step && subject.step_failure
    ? { step: subject.step, failure: subject.step_failure }
    : null;

export function FailedStep({ failed: { step, failure } }: { failed: Failed }) {
  const { t } = useWords();
  const attempts = [...step.failures, step.objections];
  return (
    <section className="failed-step stack" aria-labelledby="failed-step">
      <h2 id="failed-step">{t(`approve.failed.${failure}`, { number: step.number, name: step.name })}</h2>
      <p className="anew">{t("approve.failed.why")}</p>
      <ol>
        {attempts.map((reasons, n) => (
          <li key={n}>
            {reasons.map((reason, m) => (
              <p key={m}>{reason}</p>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
