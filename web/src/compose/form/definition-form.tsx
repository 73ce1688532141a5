import { Wrong } from "../../parts/form/wrong";
import { useWords } from "../../strings";
import { readId, readText, readTitle, type Draft, type Kinds } from "../definition/draft";
import { withField } from "../definition/edits";
import type { Problems } from "../definition/problems";
import { IdField } from "./id-field";
import { ProblemList } from "./problem-list";

interface Given {
  definition: Draft;
  kinds: Kinds;
  problems: Problems;
  /** It has been saved, and keeps its id. */
  isStored: boolean;
  onChange: (definition: Draft, field: string) => void;
}

const FIELDS = ["id", "description", "report_phase"];

/** A definition's purpose, its names, and the phase that writes its report. */
export function DefinitionForm({ definition, kinds, problems, isStored, onChange }: Given) {
  const { t } = useWords();
  const id = readText(definition["id"]);
  const set = (name: string, value: string) => onChange(withField(definition, name, value || undefined) as Draft, name);
  const wrong = (field: string) => problems.ofAll.filter(({ path }) => path === field);
  const able = definition.phases.filter((phase) => kinds.get(readText(phase["kind"]))?.provides.includes("report"));
  return (
    <>
      <ProblemList problems={problems.ofAll.filter(({ path }) => !FIELDS.includes(path))} />
      <label className="field">
        <span>{t("compose.description")}</span>
        <textarea
          rows={2}
          maxLength={5_000}
          value={readText(definition["description"])}
          onChange={(event) => set("description", event.target.value)}
        />
        <small>{t("compose.description.hint")}</small>
        <Wrong problems={wrong("description")} />
      </label>
      <IdField
        label={t("compose.id")}
        hint={t(isStored ? "compose.id.fixed" : "compose.id.hint")}
        id={id}
        isFixed={isStored}
        problems={wrong("id")}
        onChange={(changed) => set("id", changed)}
      />
      {(able.length > 1 || definition["report_phase"] !== undefined) && (
        <label className="field">
          <span>{t("compose.report")}</span>
          <select
            value={readText(definition["report_phase"])}
            onChange={(event) => set("report_phase", event.target.value)}
          >
            <option value="">{t("compose.report.last")}</option>
            {able.map((phase, n) => (
              <option key={n} value={readId(phase)}>
                {readTitle(phase, kinds)}
              </option>
            ))}
          </select>
          <Wrong problems={wrong("report_phase")} />
        </label>
      )}
    </>
  );
}
