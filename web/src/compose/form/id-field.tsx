import { useId, useState } from "react";

import type { FieldProblem } from "../../api/client";

interface Given {
  label: string;
  hint: string;
  id: string;
  problems: FieldProblem[];
  isFixed?: boolean;
  onChange: (id: string) => void;
}

/** A name that other places refer to; it is taken over as one leaves the field, so that half of one names nothing. */
export function IdField({ label, hint, id, problems, isFixed = false, onChange }: Given) {
  const [typed, setTyped] = useState<string | null>(null);
  const why = useId();
  const take = () => {
    if (typed !== null && typed.trim() && typed.trim() !== id) onChange(typed.trim());
    setTyped(null);
  };
  return (
    <label className="field">
      <span>{label}</span>
      <input
        value={typed ?? id}
        readOnly={isFixed}
        spellCheck={false}
        maxLength={128}
        aria-invalid={problems.length > 0}
        aria-describedby={why}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => event.key === "Enter" && take()}
      />
      <small className="wrong" id={why}>
        {problems.map(({ message }) => message).join(" ")}
      </small>
      <small>{hint}</small>
    </label>
  );
}
