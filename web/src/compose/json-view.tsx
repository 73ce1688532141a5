import { useId } from "react";

import { useWords } from "../strings";
import { whyBroken, type History } from "./definition/history";
import type { Problems } from "./definition/problems";
import { ProblemList } from "./form/problem-list";

/** The definition as the gateway takes it. What is typed stays as it is typed, JSON or not. */
export function JsonView({ history, problems }: { history: History; problems: Problems }) {
  const { t } = useWords();
  const id = useId();
  const text = history.text ?? JSON.stringify(history.definition, null, 2);
  const why = history.isBroken ? whyBroken(text) : null;
  const phases = [...problems.ofPhases].flatMap(([n, found]) =>
    found.map((problem) => ({ ...problem, path: `phases[${n}].${problem.path}` })),
  );
  return (
    <div className="json-view stack">
      <label className="muted" htmlFor={id}>
        {t("compose.json.label")}
      </label>
      <textarea
        id={id}
        spellCheck={false}
        autoCapitalize="off"
        aria-invalid={history.isBroken}
        value={text}
        onChange={(event) => history.type(event.target.value)}
      />
      {why !== null && (
        <p className="wrong" role="status">
          {why ? t("compose.json.broken", { why }) : t("compose.json.form")}
        </p>
      )}
      {why === null && <ProblemList problems={[...problems.ofAll, ...phases]} />}
    </div>
  );
}
