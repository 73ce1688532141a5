/** Which fields of the plan humans changed before a decision, by their names. */

import { humanize } from "../parts/text/humanize";
import { useWords, type Key, type Words } from "../strings";
import { LISTS, NUMBERS, STEP_NAMES, TEXTS } from "./plan";

const NAMES: Record<string, Key> = {
  ...Object.fromEntries([...TEXTS, ...LISTS, ...NUMBERS].map((name) => [name, `plan.${name}` satisfies Key])),
  ...Object.fromEntries(STEP_NAMES.map((name) => [name, `plan.step.${name}` satisfies Key])),
  expanded_queries: "plan.search_terms",
};

export function ChangedFields({ paths }: { paths: string[] }) {
  const { t } = useWords();
  const fields = [...new Set(paths.map((path) => nameField(t, path)))];
  return fields.length > 0 && <p className="changed">{t("decision.changed", { fields: fields.join(", ") })}</p>;
}

/** A path is a field of the plan, or as `steps[1].name` that of a step, which counts from 0. */
function nameField(t: Words["t"], path: string): string {
  const [, place, inner = ""] = /^steps\[(\d+)\](?:\.(\w+))?$/.exec(path) ?? [];
  const field = place === undefined ? path : inner;
  const name = NAMES[field] ? t(NAMES[field]) : humanize(field);
  const step = place === undefined ? "" : t("decision.step", { n: Number(place) + 1 });
  return [step, name].filter(Boolean).join(": ");
}
