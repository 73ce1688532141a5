import type { FieldSchema, ObjectSchema, Value, Values } from "../../parts/form/field-schema";
import { readText } from "../definition/draft";

type Fields = Record<string, FieldSchema>;

/** Return a config's schema with what its texts can name: its own agents, and the models that have a price. */
export function completeSchema(schema: ObjectSchema, config: Values, models: string[]): ObjectSchema {
  const { properties = {}, $defs = {} } = schema;
  const agents = properties["agents"];
  const ids = agents && listIds(config["agents"] ?? agents.default);
  const complete = (fields: Fields) =>
    mapFields(fields, (name, field) => {
      if (name === "agent" && ids) return { ...field, enum: ids };
      if (name !== "models") return field;
      const each = { type: "string", examples: models };
      return { ...field, additionalProperties: each, ...(ids && { propertyNames: { enum: ids } }) };
    });
  const define = (_: string, { properties: fields, ...about }: FieldSchema) =>
    fields ? { ...about, properties: complete(fields) } : about;
  return { ...schema, properties: complete(properties), $defs: mapFields($defs, define) };
}

const mapFields = (fields: Fields, change: (name: string, field: FieldSchema) => FieldSchema): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(name, field)]));

const listIds = (rows: Value): string[] =>
  Array.isArray(rows) ? rows.map((row) => readText((row as Values | null)?.["id"])).filter(Boolean) : [];
