import type { FieldProblem } from "../../api/client";
import { useWords } from "../../strings";

export function ProblemList({ problems }: { problems: FieldProblem[] }) {
  const { say } = useWords();
  if (problems.length === 0) return null;
  return (
    <ul className="problems stack">
      {problems.map((one, n) => (
        <li key={n}>
          {one.path && <code>{one.path}</code>} {say(one, one.message)}
        </li>
      ))}
    </ul>
  );
}
