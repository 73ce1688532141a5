/** The plan as people read and change it: each of its fields by how it is shown. */

import {
  Problem,
  type Assumption,
  type CostEstimate,
  type FieldProblem,
  type Plan,
  type PlanStep,
} from "../../api/client";
import { findWithin } from "../../parts/form/field-schema";
import { nameAgent } from "../../parts/text/name-agent";
import type { Words } from "../../strings";

/** What code fills in, or another field holds. */
type NotEdited =
  | "estimated_duration"
  | "estimated_cost"
  | "expanded_queries"
  | "depth"
  | "wished_usd"
  | "servers"
  | "not_held";
type FieldKind = "text" | "list" | "steps" | "number";

/** All editable fields of a plan in the editor's order; the type checker finds missing ones. */
const FIELDS = {
  title: "text",
  goal: "text",
  geographical_scope: "text",
  as_of: "text",
  steps: "steps",
  requirements: "list",
  search_terms: "list",
  focus_areas: "list",
  measures: "list",
  outline: "list",
  assumptions: "list",
  max_age_days: "number",
} as const satisfies Record<Exclude<keyof Plan, NotEdited>, FieldKind>;

type Field = keyof typeof FIELDS;
type Of<Kind extends FieldKind> = { [Name in Field]: (typeof FIELDS)[Name] extends Kind ? Name : never }[Field];
export type ListField = Of<"list">;
/** A row of a list: a text, or an assumption, which may be a notice of the product's own. */
export type Row = string | Assumption;

const NAMES = Object.keys(FIELDS) as Field[];
const listFields = <Kind extends FieldKind>(kind: Kind) => NAMES.filter((name) => FIELDS[name] === kind) as Of<Kind>[];
export const TEXTS = listFields("text");
export const LISTS = listFields("list");
export const NUMBERS = listFields("number");

/** The text fields of a step: one line, several lines, or next to another field; `independent` has a checkbox. */
export const STEP_FIELDS = {
  name: "line",
  description: "lines",
  agent_role: "aside",
  estimated_duration: "aside",
} as const satisfies Record<Exclude<keyof PlanStep, "independent">, "line" | "lines" | "aside">;
export type StepName = keyof typeof STEP_FIELDS;
export const STEP_NAMES = Object.keys(STEP_FIELDS) as StepName[];

/** Return who does a step, how long it takes, and whether it waits for no other; what is not known is empty. */
export const describeStep = (step: PlanStep, { t, say }: Words) => [
  nameAgent(step.agent_role, say),
  step.estimated_duration,
  step.independent && t("plan.step.independent"),
];

/** Every amount of a price. */
const PRICE_FIELDS = { low_usd: true, expected_usd: true, top_usd: true } as const satisfies Record<
  keyof CostEstimate,
  true
>;
export const PRICE_NAMES = Object.keys(PRICE_FIELDS) as (keyof CostEstimate)[];

/** Return a plan with its searches in one list: what is searched is what either of two holds. */
export const joinSearches = (plan: Plan): Plan => ({
  ...plan,
  search_terms: [...new Set([...plan.search_terms, ...plan.expanded_queries])],
  expanded_queries: [],
});

/** Return the rows of a list; a plan that compares nothing is served without measures. */
export const listRows = (plan: Plan, name: ListField): Row[] => plan[name] ?? [];

/** Return how many searches a plan has, without rows that are left empty. */
export const countSearches = (plan: Plan) =>
  new Set(
    joinSearches(plan)
      .search_terms.map((term) => term.trim())
      .filter(Boolean),
  ).size;

/** Return the fields in which a plan differs from the one that is shown, whole; rows left empty are no rows. */
export function findModifications(shown: Plan, wanted: Plan): Partial<Pick<Plan, Field>> {
  const cleaned: Plan = {
    ...wanted,
    ...Object.fromEntries(LISTS.map((name) => [name, listRows(wanted, name).map(trimRow).filter(isWritten)])),
    steps: wanted.steps.filter(isWritten),
  };
  const before = { ...joinSearches(shown), measures: listRows(shown, "measures") };
  const changed = NAMES.filter((name) => JSON.stringify(cleaned[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed.map((name) => [name, cleaned[name]]));
}

/** Return a row's words. */
export const tellRow = (row: Row, say: Words["say"]): string => {
  const text = typeof row === "string" ? row : row.text;
  return typeof text === "string" ? text : say(text);
};

/** Return a row with other words; an assumption keeps its id. */
export const writeRow = (row: Row, text: string): Row => (typeof row === "string" ? text : { ...row, text });

const trimRow = (row: Row): Row => {
  const text = typeof row === "string" ? row : row.text;
  return typeof text === "string" ? writeRow(row, text.trim()) : row;
};

/** Whether a row is not empty. */
const isWritten = (row: Row | PlanStep) => {
  if (typeof row === "string") return Boolean(row.trim());
  if ("text" in row) return typeof row.text !== "string" || Boolean(row.text.trim());
  return Boolean(row.name.trim() || row.description.trim());
};

const findFieldProblems = (error: Error): FieldProblem[] =>
  error instanceof Problem ? findWithin(error.fields, "modifications").filter(({ path }) => path) : [];

export const isAboutFields = (error: Error) => findFieldProblems(error).length > 0;

/**
 * Return the faults of the submitted plan by their path in the editor, whose empty rows were not sent; changed
 * fields have none.
 */
export function placeProblems(error: Error, sent: Plan, edited: Plan): FieldProblem[] {
  return findFieldProblems(error).flatMap((problem) => {
    const [field = "", n, ...inner] = problem.path.split(".");
    if (!(field in sent) || sent[field as Field] !== edited[field as Field]) return [];
    const rows = sent[field as Field];
    const places = Array.isArray(rows) ? rows.flatMap((row, place) => (isWritten(row) ? [place] : [])) : [];
    const place = n === undefined ? [] : [places[Number(n)] ?? n];
    return [{ ...problem, path: [field, ...place, ...inner].join(".") }];
  });
}

export const EMPTY_ASSUMPTION: Assumption = { id: "", text: "" };
export const EMPTY_STEP: PlanStep = {
  name: "",
  description: "",
  agent_role: "researcher",
  estimated_duration: "",
  independent: false,
};
