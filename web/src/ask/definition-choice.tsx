import { useState } from "react";

import type { Definition } from "../api/client";
import { useWords } from "../strings";

const FIRST = ["deep_research", "web_answer", "market_analysis", "investment_analysis"];

/** What works on a finished report is started from there. */
const startsAlone = ({ phases }: Definition) =>
  !phases.some(({ kind, config }) => kind === "edit" || (config && "form" in config && config.form === "from_report"));

interface Given {
  definitions: Definition[];
  chosen: string;
  onChoose: (id: string) => void;
}

/** The ways to research, each with what it does in a line; those of one's own come first. */
export function DefinitionChoice({ definitions, chosen, onChoose }: Given) {
  const { t, named, described } = useWords();
  const [isOpen, setOpen] = useState(false);
  const rank = ({ id, is_preset }: Definition) => {
    if (!is_preset) return -1;
    return FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length;
  };
  const sorted = definitions.filter(startsAlone).sort((a, b) => rank(a) - rank(b));
  const shown = sorted.filter(({ id, is_preset }) => isOpen || !is_preset || FIRST.includes(id) || id === chosen);
  return (
    <fieldset>
      <legend className="label">{t("ask.how")}</legend>
      {shown.map((way) => (
        <label key={way.id} className="way" data-chosen={way.id === chosen || undefined}>
          <input
            type="radio"
            name="definition"
            value={way.id}
            checked={way.id === chosen}
            onChange={() => onChoose(way.id)}
          />
          <span>
            <b>{named(way)}</b>
            <span className="muted">{described(way, "description")}</span>
            {way.id === chosen && way.consent && <small>{t("ask.consent", { what: described(way, "consent") })}</small>}
          </span>
        </label>
      ))}
      {sorted.length > shown.length || isOpen ? (
        <button type="button" className="quiet" onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? "ask.fewer" : "ask.more")}
        </button>
      ) : null}
    </fieldset>
  );
}
