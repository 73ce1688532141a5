/** Whether an approval also keeps the plan as a startup, where the checkpoint offers that. */

import { useWords } from "../strings";

interface Given {
  kept: boolean;
  onChange: (kept: boolean) => void;
}

export function KeepStartup({ kept, onChange }: Given) {
  const { t } = useWords();
  return (
    <label className="check">
      <input type="checkbox" checked={kept} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {t("approve.keep")} <small>{t("approve.keep.why")}</small>
      </span>
    </label>
  );
}
