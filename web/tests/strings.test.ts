import { expect, test } from "vitest";

import { createWords, fill, LANGUAGES } from "../src/strings";

test("what stands in brackets is left out where a value in it is missing", () => {
  expect(fill("{name}[ of {of}]", { name: "a" })).toBe("a");
  expect(fill("{name}[ of {of}]", { name: "a", of: 3 })).toBe("a of 3");
});

test.each([
  [0.004, "$0.004"],
  [0.07, "$0.07"],
  [12, "$12.00"],
])("%d dollars are shown as %s", (amount, text) => {
  expect(createWords("en").usd(amount)).toBe(text);
});

test("numbers and prices are written as the language does", async () => {
  const words = createWords("de", await LANGUAGES.de());
  expect(words.number(12_345.5)).toBe("12.345,5");
  expect(words.usd(12)).toMatch(/^12,00\s\$$/);
});
