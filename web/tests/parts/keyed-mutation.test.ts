import { expect, test, vi } from "vitest";

vi.stubGlobal("location", { origin: "http://127.0.0.1" });
const { Problem } = await import("../../src/api/client");
const { AttemptKey } = await import("../../src/parts/hooks/keyed-mutation");

test("a refused attempt ends its key, one without an answer keeps it", () => {
  const key = new AttemptKey();
  const first = key.value;
  for (const status of [0, 502, 503]) key.endAttempt(new Problem("unreachable", "", status));
  expect(key.value).toBe(first);
  key.endAttempt(new Problem("conflict", "", 409));
  expect(key.value).not.toBe(first);
});
