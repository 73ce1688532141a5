/** What a JSON Schema that the gateway serves says of a field, as far as forms are drawn from it. */

import type { FieldProblem } from "../../api/client";
import type { Words } from "../../strings";

export interface FieldSchema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  /** Values to choose from, where others are allowed. */
  examples?: string[];
  items?: FieldSchema;
  anyOf?: FieldSchema[];
  $ref?: string;
  properties?: Record<string, FieldSchema>;
  required?: string[];
  additionalProperties?: FieldSchema | boolean;
  propertyNames?: { enum?: string[]; const?: string };
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

type Definitions = Record<string, FieldSchema>;

export interface ObjectSchema {
  properties?: Record<string, FieldSchema>;
  required?: string[];
  /** What its fields refer to. */
  $defs?: Definitions;
}

export type Value = unknown;
export type Values = Record<string, Value>;

/** How a field is written; `parts` has fields of its own, `rows` are several, `words` have commas between. */
export type FieldForm = "switch" | "choice" | "number" | "text" | "words" | "parts" | "rows" | "json";

/** Return a field as it is for its value: what it refers to, and of several forms the value's own, or the last. */
export function resolveField(field: FieldSchema, value: Value, definitions: Definitions = {}): FieldSchema {
  const { anyOf = [field], $ref: _, ...about } = field;
  const forms = anyOf.map((one) => (one.$ref && definitions[one.$ref.split("/").at(-1)!]) || one);
  const able = forms.filter(({ type }) => type !== "null");
  const form = able.find(({ type }) => type === nameType(value)) ?? able.at(-1);
  const { title: __, ...said } = form ?? {};
  return withNames({ ...said, ...about }, value);
}

/** Return a field; a mapping with restricted names gets one field for each of its names. */
function withNames(field: FieldSchema, value: Value): FieldSchema {
  const { propertyNames: known, additionalProperties: each, properties } = field;
  const names = known?.enum ?? (known?.const ? [known.const] : []);
  if (properties || names.length === 0 || typeof each !== "object") return field;
  const written = nameType(value) === "object" ? Object.keys(value ?? {}) : [];
  const all = [...new Set([...names, ...written])];
  return { ...field, properties: Object.fromEntries(all.map((name) => [name, { ...each, title: name }])) };
}

/** Return what a row is called: the first that it has. */
export const nameRow = (row: Values, say: Words["say"]): string => {
  const name = ["title", "role", "name", "label", "id"].map((one) => row[one]).find(Boolean);
  return typeof name === "string" ? say({ code: `name-${name}` }, name) : "";
};

const nameType = (value: Value) => (Array.isArray(value) ? "array" : typeof value);

/** Return how a field is written; a value that its form cannot hold is written as JSON. */
export function findForm(field: FieldSchema, value: Value, definitions: Definitions = {}): FieldForm {
  if (field.type === "boolean") return "switch";
  if (field.enum) return "choice";
  if (field.type === "integer" || field.type === "number") return "number";
  if (field.type === "string") return "text";
  if (field.type === "array" && field.items?.type === "string") return "words";
  if (field.properties) return (value ?? undefined) === undefined || nameType(value) === "object" ? "parts" : "json";
  const rows: unknown = value ?? field.default ?? [];
  const isRow = (row: Value) => {
    const item = resolveField(field.items!, row, definitions);
    return nameType(row) === item.type && (item.properties !== undefined || item.type === "string");
  };
  return field.items && Array.isArray(rows) && [...(rows as Value[]), {}].every(isRow) ? "rows" : "json";
}

/** A whole number above another is at least the next; of others the gateway says what is too little. */
export const findLeast = ({ type, minimum, exclusiveMinimum: above }: FieldSchema) =>
  minimum ?? (type === "integer" && above !== undefined ? above + 1 : undefined);

/** Return what is wrong at a part of a value or within it, by the path from there. */
export function findWithin(problems: FieldProblem[], part: string): FieldProblem[] {
  const isWithin = ({ path }: FieldProblem) => path === part || [".", "["].some((next) => path.startsWith(part + next));
  return problems.filter(isWithin).map((one) => ({ ...one, path: one.path.slice(part.length).replace(/^\./, "") }));
}

export const listRequired = ({ required }: ObjectSchema): string[] => required ?? [];

/** Return an object's schema with some of its fields. */
export function pickFields(schema: ObjectSchema, isWanted: (name: string) => boolean): ObjectSchema {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => isWanted(name));
  return { ...schema, properties: Object.fromEntries(properties) };
}
