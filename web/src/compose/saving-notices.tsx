import type { Definition } from "../api/client";
import { ErrorNotice, Notice } from "../parts/notices";
import { useWords } from "../strings";
import type { History } from "./definition/history";
import type { Saving } from "./save";

interface Given {
  saving: Saving;
  history: History;
  onCompare(): void;
  onTakeOver(newest: Definition): void;
  /** Keep what is written here; it is to follow the newest version. */
  onKeep(newest: Definition): void;
}

/** What became of the definition: refused, saved elsewhere, deleted elsewhere; changed in another tab. */
export function SavingNotices({ saving, history, onCompare, onTakeOver, onKeep }: Given) {
  const { t } = useWords();
  const { conflict } = saving;
  return (
    <>
      {conflict && (
        <div className="notice" data-kind="wait" role="alert">
          <p>{t("compose.elsewhere", { n: conflict.version, mine: history.version })}</p>
          <div className="choices">
            <button type="button" onClick={onCompare}>
              {t("compose.elsewhere.compare")}
            </button>
            <button type="button" onClick={() => onTakeOver(conflict)}>
              {t("compose.elsewhere.take", { n: conflict.version })}
            </button>
            <button type="button" onClick={() => onKeep(conflict)}>
              {t("compose.elsewhere.keep")}
            </button>
          </div>
        </div>
      )}
      {saving.takenOver > 0 && saving.takenOver === history.version && (
        <Notice>{t("compose.elsewhere.shown", { n: saving.takenOver })}</Notice>
      )}
      {history.lost ? (
        <div className="notice" data-kind="wait" role="alert">
          <p>{t("compose.draft.lost")}</p>
          <div className="choices">
            <button type="button" onClick={history.bringBack}>
              {t("compose.draft.lost.back")}
            </button>
            <button type="button" onClick={history.letGo}>
              {t("compose.draft.lost.keep")}
            </button>
          </div>
        </div>
      ) : (
        history.isTaken && <Notice>{t("compose.draft.taken")}</Notice>
      )}
      {saving.isGone && <Notice kind="wait">{t("compose.gone")}</Notice>}
      {saving.error && <ErrorNotice error={saving.error} />}
    </>
  );
}
