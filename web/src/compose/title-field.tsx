import type { RefObject } from "react";

import { useWords } from "../strings";
import { makeId, readText, type Draft } from "./definition/draft";
import { withField } from "./definition/edits";

interface Given {
  definition: Draft;
  /** Ids that a new definition cannot have; null: it has been saved, and keeps its own. */
  taken: string[] | null;
  /** It cannot be saved without. */
  isMissing: boolean;
  field: RefObject<HTMLInputElement | null>;
  onChange: (definition: Draft, field: string) => void;
}

/** The title, written where it is read; the id of a new definition follows it until it is another. */
export function TitleField({ definition, taken, isMissing, field, onChange }: Given) {
  const { t } = useWords();
  const title = readText(definition["title"]);
  const untitled = t("compose.untitled");
  function change(changed: string) {
    const named = withField(definition, "title", changed || undefined) as Draft;
    const follows = taken !== null && definition["id"] === makeId(title || untitled, taken);
    onChange(follows ? { ...named, id: makeId(changed || untitled, taken) } : named, "title");
  }
  return (
    <div className="title-field">
      <label>
        <span>{t("compose.title")}</span>
        <input
          ref={field}
          value={title}
          maxLength={200}
          placeholder={t("compose.title.hint")}
          aria-invalid={isMissing}
          aria-describedby={isMissing ? "name-missing" : undefined}
          onChange={(event) => change(event.target.value)}
        />
      </label>
      {isMissing && (
        <small id="name-missing" className="danger" role="alert">
          {t("compose.title.missing")}
        </small>
      )}
    </div>
  );
}
