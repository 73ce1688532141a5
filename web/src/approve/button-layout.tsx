import { useState, type ReactNode } from "react";

import { useWords } from "../strings";

interface Given {
  /** What most people press; null: nothing comes before the others. */
  primary: ReactNode;
  /** The other decisions; on a phone behind “More”. */
  others: ReactNode;
}

/** The buttons of a decision: one before the others, which on a phone are shown on request. */
export function ActionBar({ primary, others }: Given) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="actions" data-open={isOpen || !primary || undefined}>
      {primary}
      {primary && (
        <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? "approve.less" : "approve.more")}
        </button>
      )}
      <div className="others row">{others}</div>
    </div>
  );
}
