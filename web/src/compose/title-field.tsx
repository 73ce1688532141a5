import { useWords } from "../strings";
import { makeId, readText, type Draft } from "./definition/draft";
import { withField } from "./definition/edits";

interface Given {
  definition: Draft;
  /** Ids that a new definition cannot have; null: it has been saved, and keeps its own. */
  taken: string[] | null;
  onChange: (definition: Draft, field: string) => void;
}

/** The title, written where it is read; the id of a new definition follows it until it is another. */
export function TitleField({ definition, taken, onChange }: Given) {
  const { t } = useWords();
  const title = readText(definition["title"]);
  const untitled = t("compose.untitled");
  function change(changed: string) {
    const named = withField(definition, "title", changed || undefined) as Draft;
    const follows = taken !== null && definition["id"] === makeId(title || untitled, taken);
    onChange(follows ? { ...named, id: makeId(changed || untitled, taken) } : named, "title");
  }
  return (
    <label className="title-field">
      <span>{t("compose.title")}</span>
      <input value={title} maxLength={200} placeholder={untitled} onChange={(event) => change(event.target.value)} />
    </label>
  );
}
