import type { Definition } from "../api/client";
import { Lamp } from "../parts/lamp";
import { useWords } from "../strings";
import { writesReport, type Kinds } from "./definition/draft";
import type { History } from "./definition/history";
import type { Problems } from "./definition/problems";
import type { Saving } from "./save";

interface Given {
  newest: Definition | null;
  history: History;
  problems: Problems;
  saving: Saving;
  kinds: Kinds;
  /** Show a phase, or the definition itself. */
  onShow: (phase: number | null) => void;
}

/** How the definition stands, and what can be done with it as a whole. */
export function Foot({ newest, history, problems, saving, kinds, onShow }: Given) {
  const { t } = useWords();
  const canSave = !history.isBroken && history.definition.phases.length > 0 && !saving.isPending;
  const isUnsaved = history.isDirty || newest === null;
  const { undo, redo } = history;
  return (
    <div className="foot-row apart">
      <Standing history={history} problems={problems} saving={saving} isUnsaved={isUnsaved} onShow={onShow} />
      {problems.isValid && !writesReport(history.definition, kinds) && <small>{t("compose.reportless")}</small>}
      <div className="row">
        <button
          type="button"
          className="quiet"
          title={t("compose.undo")}
          aria-label={t("compose.undo")}
          disabled={!undo}
          onClick={() => undo?.()}
        >
          ↶
        </button>
        <button
          type="button"
          className="quiet"
          title={t("compose.redo")}
          aria-label={t("compose.redo")}
          disabled={!redo}
          onClick={() => redo?.()}
        >
          ↷
        </button>
        <button type="button" disabled={!canSave || saving.conflict !== null} onClick={() => saving.tryOut()}>
          {t(isUnsaved ? "compose.try.save" : "compose.try")}
        </button>
        <button
          type="button"
          className="primary"
          disabled={!canSave || !isUnsaved || saving.conflict !== null}
          onClick={() => saving.save()}
        >
          {t(saving.isPending ? "compose.saving" : "compose.save")}
        </button>
      </div>
    </div>
  );
}

type StandingGiven = Pick<Given, "history" | "problems" | "saving" | "onShow"> & { isUnsaved: boolean };

/** Right, wrong and where, or not known yet; and whether it is saved. */
function Standing({ history, problems, saving, isUnsaved, onShow }: StandingGiven) {
  const { t } = useWords();
  const wrong = [...problems.ofPhases.values()].flat().length + problems.ofAll.length;
  const [first = null] = problems.ofPhases.keys();
  if (history.isBroken) return <p className="standing">{t("compose.standing.broken")}</p>;
  if (history.definition.phases.length === 0) return <p className="standing">{t("compose.standing.empty")}</p>;
  return (
    <p className="standing" role="status">
      {problems.error && !problems.isValid ? (
        t("compose.standing.unknown")
      ) : wrong > 0 ? (
        <button type="button" className="quiet danger" onClick={() => onShow(problems.ofAll.length > 0 ? null : first)}>
          <Lamp status="failed" />
          {t("compose.standing.wrong", { n: wrong })}
        </button>
      ) : problems.isValid ? (
        <span className="status">
          <Lamp status="completed" />
          {isUnsaved
            ? t("compose.standing.valid")
            : t(saving.savedAs === history.version ? "compose.standing.saved" : "compose.standing.same", {
                n: history.version,
              })}
        </span>
      ) : (
        t("compose.standing.checking")
      )}
    </p>
  );
}
