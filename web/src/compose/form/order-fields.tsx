import type { Kind } from "../../api/client";
import { findWithin } from "../../parts/form/field-schema";
import { nameValue } from "../../parts/form/field-words";
import { Wrong } from "../../parts/form/wrong";
import { useWords } from "../../strings";
import { findNeeds, readBind, readId, readText, readTitle, type DraftPhase, type Kinds } from "../definition/draft";
import { findAncestors, findDescendants, findPredecessors, withField } from "../definition/edits";
import type { Problems } from "../definition/problems";
import { pick } from "../../parts/pick";

interface Given {
  phases: DraftPhase[];
  index: number;
  kind: Kind | undefined;
  kinds: Kinds;
  problems: Problems;
  onChange: (phase: DraftPhase, field: string) => void;
  onConnect: (from: string) => void;
  onDisconnect: (from: string) => void;
}

/** What a phase comes after, and which of those before it gives it what it needs. */
export function OrderFields({ phases, index, kind, kinds, problems, onChange, ...actions }: Given) {
  const { t, say } = useWords();
  const phase = pick(phases, index);
  const after = pick(findPredecessors(phases), index);
  const before = findAncestors(phases, index);
  const own = problems.ofPhases.get(index) ?? [];
  const name = (id: string) => {
    const named = phases.find((one) => readId(one) === id);
    return named ? readTitle(named, kinds) : id;
  };
  const behind = findDescendants(phases, index);
  const free = phases.filter((one, n) => n !== index && !after.includes(readId(one)) && !behind.has(readId(one)));
  const needs = (kind ? findNeeds(phase, kind).needs : [])
    .map((need) => ({
      need,
      bound: problems.bindings[readId(phase)]?.[need.name] ?? [],
      chosen: readText(readBind(phase)[need.name]),
      able: phases.filter((one) => before.has(readId(one)) && canGive(one, need.name, need.anything, kinds)),
      wrong: findWithin(own, `bind.${need.name}`),
    }))
    .filter(({ need, able, chosen, wrong }) => need.required || able.length > 0 || chosen || wrong.length > 0);
  function choose(need: string, id: string) {
    const bind = withField(readBind(phase), need, id || undefined);
    onChange(withField(phase, "bind", Object.keys(bind).length > 0 ? bind : undefined), `bind.${need}`);
  }
  return (
    <>
      <fieldset>
        <legend>{t("compose.after")}</legend>
        {after.length === 0 && <p className="muted">{t("compose.after.none")}</p>}
        <ul className="chips">
          {after.map((id) => (
            <li key={id}>
              {name(id)}
              <button
                type="button"
                className="quiet"
                aria-label={t("compose.after.drop", { phase: name(id) })}
                onClick={() => actions.onDisconnect(id)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
        {free.length > 0 && (
          <select
            aria-label={t("compose.after.add")}
            value=""
            onChange={(event) => actions.onConnect(event.target.value)}
          >
            <option value="">{t("compose.after.add")} …</option>
            {free.map((one, n) => (
              <option key={n} value={readId(one)}>
                {readTitle(one, kinds)}
              </option>
            ))}
          </select>
        )}
        <Wrong problems={findWithin(own, "after")} />
      </fieldset>
      {needs.length > 0 && (
        <fieldset>
          <legend>{t("compose.reads")}</legend>
          {needs.map(({ need, bound, chosen, able, wrong }) => (
            <div className="stack" key={need.name}>
              <label className="field">
                <span>{nameValue(need.name, say)}</span>
                <select
                  value={chosen}
                  aria-invalid={wrong.length > 0}
                  onChange={(event) => choose(need.name, event.target.value)}
                >
                  <option value="">
                    {bound.length > 0
                      ? t("compose.reads.nearest", { phase: bound.map(name).join(", ") })
                      : t(able.length > 0 ? "compose.reads.any" : "compose.reads.missing")}
                  </option>
                  {[...new Set([...able.map(readId), ...(chosen ? [chosen] : [])])].map((id) => (
                    <option key={id} value={id}>
                      {name(id)}
                    </option>
                  ))}
                </select>
                <Wrong problems={wrong} />
              </label>
              {wrong.some(({ code }) => code === NEAR) && (
                <div className="row">
                  {able.map((one) => (
                    <button key={readId(one)} type="button" onClick={() => choose(need.name, readId(one))}>
                      {t("compose.reads.choose", { phase: readTitle(one, kinds) })}
                    </button>
                  ))}
                </div>
              )}
            </div>
          ))}
        </fieldset>
      )}
    </>
  );
}

/** Several earlier phases provide the same value, and none is nearer. */
const NEAR = "providers-near";

const canGive = (phase: DraftPhase, value: string, anything: boolean, kinds: Kinds) =>
  anything || (kinds.get(readText(phase["kind"]))?.provides.includes(value) ?? false);
