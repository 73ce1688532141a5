/** A step that its reviewer did not accept, before a human says what becomes of it. */

import type { Checkpoint, StepResult } from "../api/client";
import { useWords } from "../strings";

/** Return the step that a checkpoint shows and that is not done: its reviewer rejected it. */
export function findRejectedStep({ subject, done_steps }: Checkpoint): StepResult | null {
  const step = subject?.type === "step" ? subject.step : null;
  return step && step.objections.length > 0 && !(done_steps ?? []).includes(step.number) ? step : null;
}

export function RejectedStep({ step }: { step: StepResult }) {
  const { t } = useWords();
  return (
    <section className="rejected-step" aria-labelledby="rejected-step">
      <h2 id="rejected-step">{t("approve.failed", { number: step.number, name: step.name })}</h2>
      <p>{t("approve.failed.why", { n: step.failures.length + 1 })}</p>
      <ul>
        {step.objections.map((objection, n) => (
          <li key={n}>{objection}</li>
        ))}
      </ul>
    </section>
  );
}
