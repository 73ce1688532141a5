/** A definition while it is written: any JSON with a list of phases, right or wrong; the gateway judges. */

import type { Definition, Kind } from "../../api/client";
import type { FieldSchema, ObjectSchema } from "../../parts/form/field-schema";

export type DraftPhase = Record<string, unknown>;
export type Draft = Record<string, unknown> & { phases: DraftPhase[] };
export type Kinds = Map<string, Kind>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value can be drawn as a graph. */
export const isDraft = (value: unknown): value is Draft =>
  isObject(value) && Array.isArray(value["phases"]) && value["phases"].every(isObject);

export const readText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Return a phase's id, which is its kind unless it has another. */
export const readId = (phase: DraftPhase): string => readText(phase["id"]) || readText(phase["kind"]);

export const readConfig = (phase: DraftPhase): Record<string, unknown> =>
  isObject(phase["config"]) ? phase["config"] : {};

export const readBind = (phase: DraftPhase): Record<string, unknown> => (isObject(phase["bind"]) ? phase["bind"] : {});

/** Return what a phase is called on its card. */
export const readTitle = (phase: DraftPhase, kinds: Kinds): string =>
  readText(phase["title"]) || numberTitle(phase, kinds.get(readText(phase["kind"]))?.title) || readId(phase) || "?";

/** Return a kind's title with the number of the phase's id, which further phases of a kind have: “Research 2”. */
function numberTitle(phase: DraftPhase, title = ""): string {
  const [, stem, n] = /^(.+)-(\d+)$/.exec(readId(phase)) ?? [];
  return title && stem === phase["kind"] ? `${title} ${n}` : title;
}

/** Return the values of a kind's fields where its writer chooses none. */
export const findUsual = (kind: Kind): Record<string, unknown> => ({
  ...kind.default_config,
  ...mapDefaults((kind.phase_schema as ObjectSchema).properties ?? {}),
});

/** Return what a phase's writer chose otherwise than its kind does, by field. */
export function findChoices(phase: DraftPhase, kind: Kind): [string, unknown][] {
  const { properties = {} } = kind.phase_schema as ObjectSchema;
  const usual = findUsual(kind);
  const own = Object.entries(phase).filter(([name]) => name in properties && !SHOWN_ELSEWHERE.includes(name));
  return [...Object.entries(readConfig(phase)), ...own].filter(([name, value]) => !isSame(value, usual[name]));
}

const mapDefaults = (fields: Record<string, FieldSchema>) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]));

/** Fields that a card shows in another place. */
const SHOWN_ELSEWHERE = ["title", "enabled"];

/** Return what a phase needs, and whether it reaches the web: one field of its config may change either. */
export const findNeeds = (phase: DraftPhase, kind: Kind): Pick<Kind, "needs" | "web"> =>
  kind.variants.find(({ config }) =>
    Object.entries(config).every(([name, value]) => isSame(readConfig(phase)[name], value)),
  ) ?? kind;

/** Whether runs of a definition end with a report; ideas count as one if there is no other. */
export const writesReport = ({ phases }: Draft, kinds: Kinds): boolean =>
  phases.some((phase) => {
    if (phase["enabled"] === false) return false;
    const provides = kinds.get(readText(phase["kind"]))?.provides ?? [];
    return provides.includes("report") || provides.includes("ideas") || readConfig(phase)["living"] === true;
  });

/** Return an object without the fields that say what would hold without them. */
function omitDefaults(value: object, defaults: Record<string, unknown>): Record<string, unknown> {
  const isSaid = ([name, said]: [string, unknown]) => !(name in defaults) || !isSame(said, defaults[name]);
  return Object.fromEntries(Object.entries(value).filter(isSaid));
}

/** Whether two values are the same JSON, in any order of names. */
export const isSame = (a: unknown, b: unknown) => JSON.stringify(a, sortNames) === JSON.stringify(b, sortNames);

const sortNames = (_: string, value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** Return a definition as its writer would write it: the gateway's carries every default. */
export function toDraft(definition: Definition, kinds: Kinds): Draft {
  const { id, title, description, report_phase, mcp = null, phases } = definition;
  const written = phases.map(({ config, ...phase }): DraftPhase => {
    const kind = kinds.get(phase.kind);
    const fields = ((kind?.phase_schema ?? {}) as ObjectSchema).properties ?? {};
    const defaults = mapDefaults(fields);
    const { kind: _, ...others } = omitDefaults(phase, { ...defaults, id: phase.kind, after: null, bind: {} });
    const chosen = omitDefaults(config ?? {}, kind?.default_config ?? {});
    return { kind: phase.kind, ...others, ...omitDefaults({ config: chosen }, { config: {} }) };
  });
  const none = { title: "", description: "", report_phase: null, mcp: null };
  const about = omitDefaults({ title, description, report_phase, mcp }, none);
  return { id, ...about, phases: written };
}

/** Return an unused id derived from a title. */
export function makeId(title: string, taken: Iterable<string>): string {
  const plain = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  const stem = plain.replace(/^-+|-+$/g, "").slice(0, 100) || "definition";
  return findFree(stem, new Set(taken));
}

/** Return a name, numbered where it is taken. */
export function findFree(stem: string, taken: Set<string>): string {
  let name = stem;
  for (let n = 2; taken.has(name); n++) name = `${stem}-${n}`;
  return name;
}
