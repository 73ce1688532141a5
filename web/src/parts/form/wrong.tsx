import type { FieldProblem } from "../../api/client";
import { useWords } from "../../strings";

/** What is wrong with a value, where it is written. */
export function Wrong({ problems }: { problems: FieldProblem[] }) {
  const { say } = useWords();
  if (problems.length === 0) return null;
  return <small className="wrong">{problems.map((one) => say(one, one.message)).join(" ")}</small>;
}
