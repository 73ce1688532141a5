import { expect, test } from "vitest";

import type { Note, ReportDocument, Sentence } from "../../src/api/client";
import { findAgain, findNote, nameBlocks, type OpenedNote } from "../../src/read/report/document";

const quote = (text: string) => ({ type: "quote", source: 1, text }) as Note;
const say = (text: string, notes: number[]) => ({ text, lead: "", opens: false, notes, marks: [] }) as Sentence;
const write = (notes: Note[], sentences: Sentence[]) =>
  ({ title: "Pumps", notes, blocks: [{ type: "paragraph", sentences }] }) as unknown as ReportDocument;

const [dry, rain] = [quote("It is dry."), quote("It rains.")];
const before = write([dry], [say("Kenya is dry.", [1])]);
const opened: OpenedNote = { runId: "run-1", note: findNote(before, 1)!, sentence: say("Kenya is dry.", [1]) };

test("a note is found again under its new number, with its sentence", () => {
  const after = write([rain, dry], [say("It rains in Uganda.", [1]), say("Kenya is dry.", [2])]);
  expect(findAgain(after, opened)).toMatchObject({ note: { number: 2, note: dry }, sentence: { notes: [2] } });
});

test("a note whose sentence has other words has none, and one that the report lacks is not found", () => {
  expect(findAgain(write([dry], [say("Kenya dries.", [1])]), opened)).toMatchObject({ sentence: undefined });
  expect(findAgain(write([rain], []), opened)).toBeNull();
});

test("blocks keep their keys when others are added above them, and equal ones are told apart", () => {
  const block = (text: string) => ({ type: "paragraph" as const, sentences: [say(text, [])] });
  const keys = nameBlocks([block("One."), block("Two.")]);
  expect(nameBlocks([block("New."), block("One."), block("Two.")]).slice(1)).toEqual(keys);
  expect(new Set(nameBlocks([block("One."), block("One.")])).size).toBe(2);
});
