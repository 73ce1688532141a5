import { Problem, type Definition } from "../api/client";
import { ErrorNotice, Notice } from "../parts/notices";
import { nameField } from "../parts/form/field-words";
import { useWords } from "../strings";
import { readTitle, type Draft, type DraftPhase, type Kinds } from "./definition/draft";
import type { History } from "./definition/history";
import { placeProblems } from "./definition/problems";
import type { Saving } from "./save";

interface Given {
  saving: Saving;
  history: History;
  kinds: Kinds;
  onCompare: () => void;
  onTakeOver: (newest: Definition) => void;
  /** Keep what is written here; it is to follow the newest version. */
  onKeep: (newest: Definition) => void;
}

/** What became of the definition: refused, saved elsewhere, deleted elsewhere; changed in another tab. */
export function SavingNotices({ saving, history, kinds, onCompare, onTakeOver, onKeep }: Given) {
  const { t } = useWords();
  const { conflict } = saving;
  return (
    <>
      {conflict && (
        <div className="notice" data-kind="wait" role="alert">
          <p>{t("compose.elsewhere", { n: conflict.version, mine: history.version })}</p>
          <div className="row">
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
          <div className="row">
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
      {saving.error && saving.sent && <Refused error={saving.error} definition={saving.sent} kinds={kinds} />}
    </>
  );
}

/** Why it was not saved, once, with phases called what their cards call them. */
function Refused({ error, definition, kinds }: { error: Error; definition: Draft; kinds: Kinds }) {
  const { t, say } = useWords();
  if (!(error instanceof Problem) || error.fields.length === 0) return <ErrorNotice error={error} />;
  return (
    <div className="notice" data-kind="error" role="alert">
      <p>{t("compose.refused")}</p>
      <ul>
        {placeProblems(error.fields, definition, kinds, say).map(({ index, path, ...problem }, n) => (
          <li key={n}>
            <b>{nameIts(index === null ? undefined : definition.phases[index], path)}</b>{" "}
            {say(problem, problem.message)}
          </li>
        ))}
      </ul>
    </div>
  );

  /** What a problem is of: a phase, and its field where that has a name of its own. */
  function nameIts(phase: DraftPhase | undefined, path: string): string {
    const field = path.startsWith("bind.") ? "" : nameField(path.split(".").at(-1) ?? "", say);
    const names = [phase && readTitle(phase, kinds), field].filter(Boolean);
    return names.length > 0 ? `${names.join(" · ")}:` : "";
  }
}
