import type { FieldProblem } from "../../api/client";

/** What is wrong with a value, where it is written. */
export const Wrong = ({ problems }: { problems: FieldProblem[] }) =>
  problems.length > 0 && <small className="wrong">{problems.map(({ message }) => message).join(" ")}</small>;
