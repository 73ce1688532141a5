import { expect, test } from "vitest";

import { findForm, findLeast, findWithin, type FieldSchema } from "../../src/parts/form/field-schema";

const ROWS = { type: "array", items: { type: "object", properties: { name: { type: "string" } } } } as FieldSchema;

test.each<[FieldSchema, unknown, string]>([
  [{ type: "boolean" }, undefined, "switch"],
  [{ type: "string", enum: ["a"] }, undefined, "choice"],
  [{ type: "integer" }, 1, "number"],
  [{ type: "array", items: { type: "string" } }, [], "words"],
  [ROWS, [{ name: "a" }], "rows"],
  [ROWS, ["no object"], "json"],
  [ROWS, "no list", "json"],
])("a field of schema %j with value %j is drawn as %s", (field, value, form) => {
  expect(findForm(field, value)).toBe(form);
});

test("a whole number above another is at least the next", () => {
  expect(findLeast({ type: "integer", exclusiveMinimum: 2 })).toBe(3);
  expect(findLeast({ type: "number", exclusiveMinimum: 2 })).toBeUndefined();
});

test("a problem within a part is found by its path from there", () => {
  const problems = ["tasks[0].title", "tasks", "tasksx"].map((path) => ({ path, code: "text", message: "" }));
  expect(findWithin(problems, "tasks").map((one) => one.path)).toEqual(["[0].title", ""]);
});
