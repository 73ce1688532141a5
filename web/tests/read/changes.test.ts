import { expect, test } from "vitest";

import type { ReportDocument } from "../../src/api/client";
import { compareReports } from "../../src/read/report/changes";

/** Node's own, of which the page's types know nothing. */
declare const process: { cpuUsage: (since?: { user: number }) => { user: number } };

const say = (text: string) => ({ text, lead: "", opens: false, notes: [], marks: [] });

/** A report of sections, each a heading with its sentences. */
const write = (sections: Record<string, string[]>) => {
  const blocks = Object.entries(sections).flatMap(([text, sentences]) => [
    { type: "heading", level: 2, text },
    { type: "paragraph", sentences: sentences.map(say) },
  ]);
  return { title: "Pumps", blocks } as unknown as ReportDocument;
};

test("sentences are new, gone, or in other words where they stand", () => {
  const before = write({ Kenya: ["It is dry.", "Sales rose by 4 % in 2024.", "Water is scarce."] });
  const after = write({ Kenya: ["It is dry.", "Sales rose by 6 % in 2025."], Uganda: ["It rains."] });
  expect(compareReports(before, after)).toEqual({
    reworded: [["Sales rose by 4 % in 2024.", "Sales rose by 6 % in 2025."]],
    removed: ["Water is scarce."],
    added: ["It rains."],
  });
});

test("a sentence in the place of a quite different one is new, and that one gone", () => {
  const changes = compareReports(write({ Kenya: ["It is dry."] }), write({ Kenya: ["Pumps sell well there."] }));
  expect(changes).toEqual({ added: ["Pumps sell well there."], removed: ["It is dry."], reworded: [] });
});

test("a report that stands as it was has no changes, wherever its sentences moved", () => {
  const one = write({ Kenya: ["It is dry."], Uganda: ["It rains."] });
  const other = write({ Uganda: ["It rains."], Kenya: ["It is dry."] });
  expect(compareReports(one, other)).toEqual({ added: [], removed: [], reworded: [] });
});

test("reports of thousands of sentences are compared in linear time", () => {
  const many = (word: string) => write({ Kenya: Array.from({ length: 20_000 }, (_, n) => `${word} ${n} is told.`) });
  const before = process.cpuUsage(); // not the time on the wall: other tests run beside
  expect(compareReports(many("One"), many("Other")).reworded).toHaveLength(20_000);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(4_000);
});
