import type { Checkpoint } from "../api/client";
import { useWords } from "../strings";
import { findBudgetCase } from "./subjects/budget-case";

/** The notice that it was done again after it was sent back: said before the question. */
const VERSION = "ask-version";

/** What is asked, and below it the problems that a check has found; `isAnew`: a change was sent, and it is asked again. */
export function Asks({
  checkpoint: { asks = [], subject, deadline },
  isAnew,
}: {
  checkpoint: Checkpoint;
  isAnew: boolean;
}) {
  const { t, say } = useWords();
  const problems = asks.flatMap(({ params }) => (Array.isArray(params?.problems) ? params.problems : []));
  const ordered = [...asks.filter(({ code }) => code === VERSION), ...asks.filter(({ code }) => code !== VERSION)];
  const question = ordered.map(({ code, params: { problems: _, ...params } = {} }) => say({ code, params })).join(" ");
  return (
    <>
      <p className="asks" role={isAnew ? "alert" : undefined} tabIndex={-1}>
        {subject?.type === "budget" ? t(`approve.budget.asks.${findBudgetCase(subject, deadline)}`) : question}
      </p>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem, n) => (
            <li key={n}>{typeof problem === "string" ? problem : say(problem)}</li>
          ))}
        </ul>
      )}
    </>
  );
}
