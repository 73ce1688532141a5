import { useState } from "react";

import type { Definition } from "../api/client";
import { useWords } from "../strings";
import { startsAlone } from "../parts/phases/starts-alone";
import { isKind } from "./kinds";

interface Given {
  definitions: Definition[];
  chosen: string;
  onChoose: (id: string) => void;
  /** Go back up to the question. */
  onWrite: () => void;
}

/** All other ways to research, each with what it does in a line; those of one's own come first. */
export function DefinitionChoice({ definitions, chosen, onChoose, onWrite }: Given) {
  const { t, named, described } = useWords();
  const [isOpen, setOpen] = useState(false);
  const others = definitions.filter((one) => startsAlone(one) && !isKind(one.id));
  const sorted = others.sort((a, b) => Number(a.is_preset) - Number(b.is_preset));
  const shown = sorted.filter(({ id, is_preset }) => isOpen || !is_preset || id === chosen);
  return (
    <fieldset>
      {shown.length > 0 && <legend className="label">{t("ask.others")}</legend>}
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
          </span>
        </label>
      ))}
      <div className="row">
        {sorted.length > shown.length || isOpen ? (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t(isOpen ? "ask.fewer" : "ask.more")}
          </button>
        ) : null}
        {shown.some(({ id }) => id === chosen) && (
          <button type="button" onClick={onWrite}>
            {t("ask.write")}
          </button>
        )}
      </div>
    </fieldset>
  );
}
