import { expect, test } from "vitest";

import de from "../../../contracts/words/de.json";
import en from "../../../contracts/words/en.json";
import { createWords, speak, withWords } from "../../src/strings";
import { de as germanFirst } from "../../src/strings/de";
import { views as germanViews } from "../../src/strings/de-views";
import { en as first } from "../../src/strings/en";
import { views } from "../../src/strings/en-views";
import { createMessages } from "../../src/strings/icu-messages";

const german = { ...germanFirst, ...germanViews };
const fill = createMessages("en", ({ code }) => code);

test("what stands in brackets is left out where a value in it is missing", () => {
  expect(fill("{name}[ of {of}]", { name: "a" })).toBe("a");
  expect(fill("{name}[ of {of}]", { name: "a", of: 3 })).toBe("a of 3");
});

test("one and several have forms of their own, and numbers are grouped from five digits on", () => {
  const text = "{n, plural, one {{name} (# page)} other {{name} (# pages)}}";
  expect([1, 2, 2_500, 12_500].map((n) => fill(text, { name: "a", n }))).toEqual([
    "a (1 page)",
    "a (2 pages)",
    "a (2500 pages)",
    "a (12,500 pages)",
  ]);
});

test("lists are joined by semicolons or by commas, and what they name is said in words", () => {
  const parts = ["a", { code: "b", params: {}, severity: "info" as const }];
  expect(fill("{parts}", { parts })).toBe("a; b");
  expect(fill("{parts:,}", { parts })).toBe("a, b");
});

test("dollars are written as the language does, also inside of another notice", async () => {
  const params = { wished: 0.25, expected: 0.5, top: 1234.5 };
  const raised = { code: "ask-wish-met", params, severity: "info" as const };
  speak("de");
  await withWords(Promise.resolve());
  const words = createWords("de");
  for (const said of [words.say(raised), words.say({ code: "because", params: { what: raised, why: "" } })]) {
    expect(said.replaceAll("\u00a0", " ")).toMatch(/0,25 \$.*0,50 \$.*1\.?234,50 \$/);
  }
  expect(fill("{usd:$}", { usd: 0.25 })).toBe("$0.25");
  expect(fill("{usd:$}", { usd: "$0.25" })).toBe("$0.25"); // as records of earlier versions hold it
});

test("a value is no message, whatever is in it", () => {
  expect(fill("{name}", { name: "{n, plural, one {#}} '[x]'" })).toBe("{n, plural, one {#}} '[x]'");
});

test.each(Object.entries({ en: { ...en, ...first, ...views }, de: { ...de, ...german } }))(
  "each text of %s is a message",
  (language, catalogue) => {
    const write = createMessages(language, () => "");
    for (const [code, text] of Object.entries(catalogue)) expect(write(text), code).not.toMatch(/[{}|]/);
  },
);

test("German says du to its reader", () => {
  const formal = /(?<![.:?!“] )(?<!^)(?<!\{)\b(Sie|Ihnen|Ihr|Ihre[nmrs]?)\b/;
  expect(Object.entries({ ...de, ...german }).filter(([, text]) => formal.test(text))).toEqual([]);
});

test.each([
  [0.004, "$0.004"],
  [0.07, "$0.07"],
  [12, "$12.00"],
])("%d dollars are shown as %s", (amount, text) => {
  expect(createWords("en").usd(amount)).toBe(text);
});

test("numbers and prices are written as the language does", async () => {
  speak("de");
  await withWords(Promise.resolve());
  const words = createWords("de");
  expect(words.number(12_345.5)).toBe("12.345,5");
  expect(words.usd(12)).toMatch(/^12,00\s\$$/);
});

test("the page speaks of ways to research, and not of the definitions that they are to the gateway", () => {
  const texts = [first, views, german].flatMap((words): string[] => Object.values(words));
  expect(texts.filter((text) => /\bdefinition(en)?\b/i.test(text))).toEqual([]);
});
