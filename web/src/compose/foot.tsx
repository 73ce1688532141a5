import type { Definition } from "../api/client";
import { Lamp } from "../parts/lamp";
import { useWords } from "../strings";
import { pick } from "../parts/pick";
import { readTitle, writesReport, type Kinds } from "./definition/draft";
import { findEnds, findJoin } from "./definition/edits";
import { addMissing } from "./definition/missing";
import type { History } from "./definition/history";
import type { Problems } from "./definition/problems";
import type { Saving } from "./save";

interface Given {
  newest: Definition | null;
  history: History;
  problems: Problems;
  saving: Saving;
  kinds: Kinds;
  onSave: () => void;
  onTry: () => void;
  /** Show a phase, or the definition itself. */
  onShow: (phase: number | null) => void;
}

/** The state of the definition, and the actions on it as a whole. */
export function Foot({ newest, history, problems, saving, kinds, onSave, onTry, onShow }: Given) {
  const { t } = useWords();
  const canSave = !history.isBroken && history.definition.phases.length > 0 && !saving.isPending;
  const isUnsaved = history.isDirty || newest === null;
  const { undo, redo } = history;
  const { phases } = history.definition;
  const join = problems.isValid ? findJoin(phases, kinds) : null;
  const hint = problems.isValid ? findHint() : null;
  const mended = problems.isValid === false && !history.isBroken ? addMissing(phases, kinds) : phases;
  const completed = mended === phases ? null : mended;

  /** What it lacks although it can run: a branch that leads nowhere, or a report. */
  function findHint(): string | null {
    const ends = findEnds(phases).map((n) => readTitle(pick(phases, n), kinds));
    if (ends.length > 1) return t(join ? "compose.apart" : "compose.apart.add", { phases: ends.join(", ") });
    return writesReport(history.definition, kinds) ? null : t("compose.reportless");
  }

  return (
    <div className="foot-row apart">
      <div>
        <Standing {...{ history, problems, saving, isUnsaved, onShow }} hasHint={hint !== null} />
        {hint && <small>{hint}</small>}
      </div>
      {join && (
        <button type="button" onClick={() => history.edit({ ...history.definition, phases: join.phases })}>
          {t(join.isNew ? "compose.join.new" : "compose.join", { phase: readTitle(join.meeting, kinds) })}
        </button>
      )}
      {completed && (
        <button type="button" onClick={() => history.edit({ ...history.definition, phases: completed })}>
          {t("compose.add.missing")}
        </button>
      )}
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
        <button type="button" disabled={!canSave || saving.conflict !== null} onClick={onTry}>
          {t(isUnsaved ? "compose.try.save" : "compose.try")}
        </button>
        <button
          type="button"
          className="primary"
          disabled={!canSave || !isUnsaved || saving.conflict !== null}
          onClick={onSave}
        >
          {t(saving.isPending ? "compose.saving" : "compose.save")}
        </button>
      </div>
    </div>
  );
}

type StandingGiven = Pick<Given, "history" | "problems" | "saving" | "onShow"> & {
  isUnsaved: boolean;
  hasHint: boolean;
};

/** Right, wrong and where, or not known yet; and whether it is saved. */
function Standing({ history, problems, saving, isUnsaved, hasHint, onShow }: StandingGiven) {
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
          <Lamp status={hasHint ? "partial" : "completed"} />
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
