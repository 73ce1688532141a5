import type { FieldProblem } from "../../api/client";

export function ProblemList({ problems }: { problems: FieldProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="problems stack">
      {problems.map(({ path, message }, n) => (
        <li key={n}>
          {path && <code>{path}</code>} {message}
        </li>
      ))}
    </ul>
  );
}
