/** A report's document as the page reads it: its sections, the marks in it, and what is new in it. */

import type { Block, Mark, Note, ReportDocument, Sentence } from "../../api/client";
import { pick } from "../../parts/pick";

/** A note with its number. */
export interface NumberedNote {
  number: number;
  note: Note;
  /** The document that it belongs to, with its other notes and its sources. */
  document: ReportDocument;
}

/** An open note, of a report or of an answer next to it. */
export interface OpenedNote {
  runId: string;
  note: NumberedNote;
  /** The sentence that it was opened from. */
  sentence?: Sentence | undefined;
}

export const findNote = (document: ReportDocument, number: number): NumberedNote | null => {
  const note = document.notes?.[number - 1];
  return note ? { number, note, document } : null;
};

/** Return a note's content, which stays the same when the report grows and its notes are numbered anew. */
function nameNote(note: Note): string {
  switch (note.type) {
    case "quote":
      return `${note.source} ${note.text}`;
    case "working":
      return `${note.label}: ${note.expression}`;
    case "basis":
      return `${note.label}: ${note.sentences.map(({ text }) => text).join(" ")}`;
    case "doubt":
      return `${note.label}: ${note.text}`;
    case "reference":
      return String(note.source);
  }
}

/** Return what identifies an open note, in whatever version of its report. */
export const nameOpened = ({ runId, note: { note } }: OpenedNote) => `${runId} ${note.type} ${nameNote(note)}`;

/** Return an open note, and its sentence, as another version of its report has them; null: that lacks the note. */
export function findAgain(document: ReportDocument, opened: OpenedNote): OpenedNote | null {
  if (opened.note.document === document) return opened;
  const name = nameNote(opened.note.note);
  const at = document.notes?.findIndex((note) => note.type === opened.note.note.type && nameNote(note) === name) ?? -1;
  const note = findNote(document, at + 1);
  if (!note) return null;
  const sentences = listBlocks(document).flatMap(listSentences);
  return { runId: opened.runId, note, sentence: sentences.find(({ text }) => text === opened.sentence?.text) };
}

/** The number of the note in the URL, such as `#note-7`; 0 without one. */
export const readNoteNumber = () => Number(/^#note-(\d{1,6})$/.exec(location.hash)?.[1] ?? 0);

export type Look = Exclude<NonNullable<Mark["look"]>, "plain">;

/** Return a sentence's highlighting: a doubt takes precedence over other marks. */
export function findLook({ marks = [] }: Sentence): Look | null {
  const looks = marks.map(({ look = "plain" }) => look);
  const look = looks.includes("doubtful") ? "doubtful" : (looks[0] ?? "plain");
  return look === "plain" ? null : look;
}

/** The sentences of a block, those of a table's cells included. */
export function listSentences(block: Block): Sentence[] {
  if (block.type === "paragraph") return block.sentences;
  if (block.type === "list") return block.items;
  return block.type === "table" ? block.rows.flat().filter((cell) => cell !== null) : [];
}

/** All of a document below its head: what is read, then its appendix. */
const listBlocks = ({ blocks = [], appendix = [] }: ReportDocument) => [...blocks, ...appendix];

/** Return the first sentence that cites a note. */
export const findCiting = (document: ReportDocument, number: number): Sentence | undefined =>
  listBlocks(document)
    .flatMap(listSentences)
    .find(({ notes = [] }) => notes.includes(number));

export function listLooks(document: ReportDocument): Look[] {
  const looks = listBlocks(document).flatMap(listSentences).map(findLook);
  return [...new Set(looks.filter((look) => look !== null))];
}

/** How many sentences rest on each source, by its number: by a quote, or by what they are computed or judged from. */
export function countSentences(document: ReportDocument): Map<number, number> {
  const counts = new Map<number, number>();
  const seen = new Set(listBlocks(document).flatMap(listSentences));
  for (const { notes = [] } of seen) {
    for (const source of findSources(document, notes)) counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return counts;
}

/** Return the sources of some notes, including those of notes that these refer to. */
function findSources({ notes = [] }: ReportDocument, numbers: number[]): Set<number> {
  const sources = new Set<number>();
  const open = new Set(numbers); // grows while it is gone through; each note once
  for (const number of open) {
    const note = notes[number - 1];
    if (note?.type === "quote" || note?.type === "reference") sources.add(note.source);
    if (note?.type === "working") note.quotes?.forEach((one) => open.add(one));
    if (note?.type === "basis") note.sentences.forEach((one) => one.notes?.forEach((each) => open.add(each)));
  }
  return sources;
}

/** A heading with the content below it; content before the first heading has none. */
export interface Section {
  id: string;
  /** What tells it apart from the others, also when sections are added above it. */
  key: string;
  blocks: Block[];
  /** Whether it belongs to the appendix, which is looked up rather than read. */
  isAppendix: boolean;
}

export function splitSections(document: ReportDocument): Section[] {
  const sections: Section[] = [{ id: "", key: "", blocks: [], isAppendix: false }];
  const keys = new Keys();
  const add = (block: Block, isAppendix: boolean) => {
    if (block.type !== "heading" || block.level !== 2) pick(sections, -1).blocks.push(block);
    else sections.push({ id: `section-${sections.length}`, key: keys.take(block.text), blocks: [block], isAppendix });
  };
  document.blocks?.forEach((block) => add(block, false));
  document.appendix?.forEach((block) => add(block, true));
  return sections;
}

/**
 * Return a key for each block by how it begins: what is drawn of a block stays the same element when blocks are added
 * above it, so the browser keeps it in its place on the screen.
 */
export function nameBlocks(blocks: Block[]): string[] {
  const keys = new Keys();
  return blocks.map((block) => keys.take(`${block.type} ${beginningOf(block)}`));
}

function beginningOf(block: Block): string {
  if (block.type === "table") return block.caption || block.columns.map(({ label }) => label).join(" ");
  return listBlockTexts(block)[0] ?? "";
}

/** Names that occur once: another of the same is counted. */
class Keys {
  private readonly counts = new Map<string, number>();

  take(name: string): string {
    const count = this.counts.get(name) ?? 0;
    this.counts.set(name, count + 1);
    return `${name} ${count}`;
  }
}

/** What is compared of a document: the texts of its sentences, its headings and its other lines. */
export function listTexts(document: ReportDocument): Set<string> {
  return new Set(listBlocks(document).flatMap(listBlockTexts));
}

/** The texts of a block, a table's by row. */
export function listBlockTexts(block: Block): string[] {
  if (block.type === "table") return block.rows.map(textOfRow);
  if (block.type === "callout") return [block.title ?? "", ...(block.lines ?? [])];
  if (block.type === "heading" || block.type === "remark") return [block.text];
  if (block.type === "quotes") return block.quotes.map(({ text }) => text);
  return listSentences(block).map(({ text }) => text);
}

/** A row of a table as one text. */
export const textOfRow = (row: (Sentence | null)[]) => row.map((cell) => cell?.text ?? "–").join(" | ");

/** The part of a text between two characters, which are counted as Python does: a surrogate pair is one. */
export function splitAt(text: string, start: number, end: number): [string, string, string] {
  const [from, to] = /[\ud800-\udbff]/.test(text) ? [countUnits(text, start), countUnits(text, end)] : [start, end];
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}

/** Characters of a page that are shown before a quote and after it where the whole page has no room. */
const SHOWN_BEFORE = 160;
const SHOWN_AFTER = 400;

/** Return a text that is split at a quote with as much around the quote as a small window has room for, cut at a blank. */
export function cutAround([before, quote, after]: [string, string, string]): [string, string, string] {
  const first = before.length > SHOWN_BEFORE ? `… ${before.slice(-SHOWN_BEFORE).replace(/^\S*\s+/, "")}` : before;
  const last = after.length > SHOWN_AFTER ? `${after.slice(0, SHOWN_AFTER).replace(/\s+\S*$/, "")} …` : after;
  return [first, quote, last];
}

function countUnits(text: string, characters: number): number {
  let units = 0;
  for (let n = 0; n < characters && units < text.length; n += 1) units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  return units;
}
