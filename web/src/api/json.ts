/** Fields of JSON whose form only the tool knows that made it. */

/** A field's value; undefined where there is none. */
export const readField = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value)).get(name)
    : undefined;

/** A field's text; empty where it is none. */
export function readText(value: unknown, name: string): string {
  const found = readField(value, name);
  return typeof found === "string" ? found : "";
}

/** A field's items; none where it is no list. */
export function readList(value: unknown, name: string): unknown[] {
  const found = readField(value, name);
  return Array.isArray(found) ? found : [];
}
