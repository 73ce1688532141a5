import type { ReactNode } from "react";

interface Given {
  /** What is empty is left out. */
  of: ReactNode[];
}

/** Facts in one line with a dot between them; where the line breaks, no dot is left at its end or beginning. */
export function Facts({ of }: Given) {
  return (
    <span className="dotted">
      {of.filter(Boolean).map((fact, n) => (
        <span key={n}>
          {n > 0 && <span className="dot"> · </span>}
          {fact}
        </span>
      ))}
    </span>
  );
}
