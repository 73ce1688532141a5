/** The report as the gateway renders it, taken apart: headings, notes, blocks. Nothing in it is run. */

export interface Note {
  number: number;
  element: Element;
  /** Of a quote: its words and the address of its page, of one's own file where the run keeps it. */
  quote: string | null;
  url: string | null;
}

/** A heading and what stands below it; what comes before the first has none. */
export interface Section {
  blocks: Element[];
  /** Evidence and what follows it: looked up rather than read. */
  isApparatus: boolean;
}

export type Mark = "judged" | "computed" | "doubtful";

const MARKS: [RegExp, Mark][] = [
  [/^\(judgement/, "judged"],
  [/^\(computed/, "computed"],
  [/^\((partly shown|not shown|contradicted|not judged)/, "doubtful"],
];

/** What an aside behind a sentence says of it; null: it is another aside. */
export const findMark = (aside: Element): Mark | null =>
  MARKS.find(([said]) => said.test(aside.textContent))?.[1] ?? null;

export interface ReportDocument {
  title: string;
  /** The marks that stand in it. */
  marks: Set<Mark>;
  sections: Section[];
  headings: { id: string; text: string }[];
  notes: Map<number, Note>;
}

/** Stands between two pages in the text of a document that has pages. */
const PAGE_BREAK = "\f";
const QUOTE = /^“([\s\S]*)” — /;

export function parseReport(html: string): ReportDocument {
  // Its own style stays out: ours is another, and the page's policy would report it.
  const { body } = new DOMParser().parseFromString(html.slice(html.indexOf("<body>")), "text/html");
  body.querySelector("header")?.remove(); // its head, which the page shows in the reader's language
  const notes = new Map<number, Note>();
  for (const element of body.querySelectorAll("li[id^=note_]")) {
    const number = Number(element.id.slice("note_".length));
    const quote = QUOTE.exec(element.textContent)?.[1] ?? null;
    const link = quote === null ? null : element.querySelector("a[href^=http], a[href^=artifacts], a[href^=sources]");
    notes.set(number, { number, element, quote, url: link?.getAttribute("href") ?? null });
  }
  const headings = [...body.querySelectorAll("h2")].map((heading, n) => {
    heading.id = `section-${n + 1}`;
    return { id: heading.id, text: heading.textContent };
  });
  const title = body.querySelector("h1")?.textContent ?? "";
  body.querySelector("h1")?.remove();
  const asides = [...body.querySelectorAll("em")].map(findMark).filter((mark) => mark !== null);
  const sections = split([...body.children]);
  return { title, marks: new Set(asides), sections, headings, notes };
}

function split(blocks: Element[]): Section[] {
  const sections: Section[] = [{ blocks: [], isApparatus: false }];
  for (const block of blocks) {
    const last = sections.at(-1)!;
    if (block.localName === "h2") sections.push({ blocks: [block], isApparatus: last.isApparatus });
    else last.blocks.push(block);
    if (block.querySelector("[id^=note_]")) sections.at(-1)!.isApparatus = true;
  }
  return sections;
}

/** A block's words without the numbers of notes, which change where one more is quoted. */
export const wordsOf = (element: Element) =>
  element.textContent.replace(/\[\d+\]/g, "").replace(/\s+/g, " ").trim();

const LINES = "p, li, tr, h2, h3, blockquote";

export function listLines(document: ReportDocument): Set<string> {
  const blocks = document.sections.flatMap((section) => section.blocks);
  const lines = blocks.flatMap((block) =>
    block.matches(LINES) ? [block, ...block.querySelectorAll(LINES)] : [...block.querySelectorAll(LINES)],
  );
  return new Set(lines.map(wordsOf));
}

/** Find a quote in its page's text; line ends and runs of blanks there do not matter. */
export function findQuote(text: string, quote: string): { start: number; end: number } | null {
  const start = text.indexOf(quote);
  if (start >= 0) return { start, end: start + quote.length };
  const words = quote.split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = words.length > 0 ? new RegExp(words.join("\\s+"), "u").exec(text) : null;
  return found && { start: found.index, end: found.index + found[0].length };
}

/** The number of the page that a place in a document's text is on; null where the text has no pages. */
export const findPage = (text: string, at: number): number | null =>
  text.includes(PAGE_BREAK) ? text.slice(0, at).split(PAGE_BREAK).length : null;

/** The place of the page that an address in a report leads to; -1 where there is none. */
export function findSource(sources: { url: string }[], address: string): number {
  const own = /^(?:artifacts\/source-|sources\/)(\d+)(?:\/snapshot|#page=\d+)?$/.exec(address);
  return own ? Number(own[1]) - 1 : sources.findIndex((source) => sameAddress(source.url, address));
}

function sameAddress(a: string, b: string): boolean {
  try {
    return new URL(a).href === new URL(b).href;
  } catch {
    return a === b;
  }
}
