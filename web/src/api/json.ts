/** Fields of JSON of unknown form, such as a tool's result. */

/** A field's value; undefined if it does not exist. */
export const readField = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value)).get(name)
    : undefined;

/** A field's text; empty if it is not a string. */
export function readText(value: unknown, name: string): string {
  const found = readField(value, name);
  return typeof found === "string" ? found : "";
}

/** A field's items; empty if it is not a list. */
export function readList(value: unknown, name: string): unknown[] {
  const found = readField(value, name);
  return Array.isArray(found) ? found : [];
}
