/** The report's blocks as elements of the page: known tags alone, and notes that open. */

import { createContext, Fragment, useContext, type ReactNode } from "react";

import { isOnWeb } from "../api/client";
import "../parts/shade.css";
import { useWords } from "../strings";
import { findMark, wordsOf, type ReportDocument, type Section } from "./report-document";
import "./report.css";

const PLAIN = new Set(
  "h1 h2 h3 h4 p ul ol thead tbody tr th td caption blockquote em strong code pre hr br".split(" "),
);
const LINES = new Set("p li tr blockquote h2 h3".split(" "));
/** What the run keeps, as a report links to it: a table, a chart, a document of one's own. */
const KEPT = /^(artifacts\/[\w-]+(#page=\d+)?|sources\/\d+\/snapshot)$/;

interface Reading {
  runId: string;
  /** The lines that stood there before; null: nothing is marked as new. */
  before: Set<string> | null;
  shownNote: number | null;
  onNote: ((number: number) => void) | null;
}

const ReadingContext = createContext<Reading>({ runId: "", before: null, shownNote: null, onNote: null });

interface Given extends Partial<Reading> {
  runId: string;
  document: ReportDocument;
  /** What stands below its title. */
  opening?: ReactNode;
}

export function ReportBody({ runId, document, opening, before = null, shownNote = null, onNote = null }: Given) {
  return (
    <ReadingContext value={{ runId, before, shownNote, onNote }}>
      <article className="report">
        {document.title && <h2 className="report-title">{document.title}</h2>}
        {opening}
        {document.sections.map((section, n) => (
          <SectionBody key={n} section={section} />
        ))}
      </article>
    </ReadingContext>
  );
}

function SectionBody({ section: { blocks, isApparatus } }: { section: Section }) {
  const [first, ...rest] = blocks.map((block, n) => <Block key={n} element={block} />);
  if (!isApparatus) return [first, ...rest];
  return (
    <details className="apparatus">
      <summary>{first}</summary>
      {rest}
    </details>
  );
}

/** A part of a note, in which other notes can be opened as well. */
export function NoteText({ element, onNote }: { element: Element; onNote(number: number): void }) {
  return (
    <ReadingContext value={{ runId: "", before: null, shownNote: null, onNote }}>
      <Children of={element} />
    </ReadingContext>
  );
}

function Block({ element }: { element: Element }) {
  const { before } = useContext(ReadingContext);
  const { t } = useWords();
  const tag = element.localName;
  const isNew = before !== null && LINES.has(tag) && !before.has(wordsOf(element));
  const marks = { id: element.id || undefined, "data-new": isNew || undefined };
  if (tag === "a") return <Anchor element={element} />;
  if (tag === "img") return <Picture element={element} />;
  if (tag === "li") return <li {...marks}>{<Children of={element} />}</li>;
  if (tag === "table") {
    return (
      <div className="wide" role="region" tabIndex={0} aria-label={element.querySelector("caption")?.textContent ?? t("read.table")}>
        <table>
          <Children of={element} />
        </table>
      </div>
    );
  }
  if (tag === "hr" || tag === "br") return tag === "hr" ? <hr /> : <br />;
  if (!PLAIN.has(tag)) return <Children of={element} />;
  // Headings stand below the page's own.
  const Tag = (/^h\d$/.test(tag) ? `h${Math.min(Number(tag[1]) + 1, 6)}` : tag) as "p";
  return (
    <Tag {...marks} className={isRemark(element) ? "remark" : undefined}>
      {tag === "p" || tag === "td" ? <Sentences of={element} /> : <Children of={element} />}
    </Tag>
  );
}

/** A line set off as a whole is said of the text or of a chart, not in it. */
const isRemark = ({ localName, childNodes: [first, ...more] }: Element) =>
  localName === "p" && more.length === 0 && first instanceof Element && first.localName === "em";

function Children({ of }: { of: Element }) {
  return <Pieces of={[...of.childNodes]} />;
}

/** What stands in a line, without the blanks at its start if it goes on after another part. */
function Pieces({ of: nodes, goesOn = false }: { of: ChildNode[]; goesOn?: boolean }) {
  const pieces: ReactNode[] = [];
  for (let n = 0; n < nodes.length; ) {
    const node = nodes[n]!;
    const end = findEnd(nodes, n);
    if (node instanceof Element) pieces.push(<Block key={n} element={node} />);
    if (node instanceof Text && !isBetweenRows(node)) {
      const text = goesOn && n === 0 ? node.data.trimStart() : node.data;
      const notes = nodes.slice(n + 1, end);
      pieces.push(notes.length > 0 ? <Cited key={n} text={text} notes={notes} /> : <Words key={n} of={text} />);
    }
    n = end;
  }
  return pieces;
}

/** Blanks between rows are no content of a table. */
const isBetweenRows = ({ parentElement }: Text) =>
  /^(table|thead|tbody|tr|ul|ol)$/.test(parentElement?.localName ?? "");

const isNote = (node?: ChildNode) => node instanceof Element && node.hasAttribute("data-note");
const says = (node: ChildNode | undefined, text: RegExp) => node instanceof Text && text.test(node.data);

/** Where a node ends: a text with the numbers behind it, and what closes them. */
function findEnd(nodes: ChildNode[], start: number): number {
  let end = start + 1;
  if (!(nodes[start] instanceof Text) || !isNote(nodes[end])) return end;
  while (isNote(nodes[end]) || (says(nodes[end], /^\s+$/) && isNote(nodes[end + 1]))) end += 1;
  return says(nodes[end], /^[).,;:]+$/) ? end + 1 : end;
}

/** A number stays on the line of the word that it is about: before a button no blank holds a line together. */
function Cited({ text, notes }: { text: string; notes: ChildNode[] }) {
  const [, before = "", word = ""] = /^(.*?)(\S{0,24})\s*$/s.exec(text)!;
  return (
    <>
      <Words of={before} />
      <span className="bound">
        <Words of={word} />
        {"\u202f"}
        <Pieces of={notes} />
      </span>
    </>
  );
}

/** A date, or a filing's number, which is read at one glance. */
const WHOLE = /(\d{1,10}(?:-\d{1,6}){1,2})/;

/** Text whose dates and numbers stay on one line. */
function Words({ of }: { of: string }) {
  return of.split(WHOLE).map((part, n) =>
    n % 2 === 0 ? (
      part
    ) : (
      <span key={n} className="whole">
        {part}
      </span>
    ),
  );
}

/** A paragraph by its sentences, so that a judgement, a computed figure and a doubt look like it. */
function Sentences({ of }: { of: Element }) {
  const parts: { nodes: ChildNode[]; mark: string }[] = [{ nodes: [], mark: "" }];
  let hasNotes = false;
  for (const node of of.childNodes) {
    let part = parts.at(-1)!;
    if (node instanceof Text && hasNotes && node.data.trim()) {
      part = { nodes: [], mark: "" };
      parts.push(part);
      hasNotes = false;
    }
    part.nodes.push(node);
    if (node instanceof Element) {
      hasNotes ||= node.hasAttribute("data-note") || node.localName === "em";
      if (node.localName === "em") part.mark = findMark(node) ?? part.mark;
    }
  }
  return parts.map(({ nodes, mark }, n) => {
    const pieces = <Pieces of={nodes} goesOn={n > 0} />;
    return (
      <Fragment key={n}>
        {n > 0 && " "}
        {mark ? (
          <span className="claim" data-mark={mark}>
            {pieces}
          </span>
        ) : (
          pieces
        )}
      </Fragment>
    );
  });
}

function Anchor({ element }: { element: Element }) {
  const { runId, onNote, shownNote } = useContext(ReadingContext);
  const { t } = useWords();
  const href = element.getAttribute("href") ?? "";
  const note = element.getAttribute("data-note");
  if (note !== null) {
    const number = Number(href.slice("#note_".length));
    if (!onNote) return <sup className="note-number">{number}</sup>;
    return (
      <button
        type="button"
        className="note-number"
        title={note}
        aria-label={t("read.note.open", { n: number })}
        aria-pressed={shownNote === number}
        onClick={() => onNote(number)}
      >
        {number}
      </button>
    );
  }
  if (KEPT.test(href)) {
    return (
      <a href={`/v1/runs/${runId}/${href}`} target="_blank" rel="noreferrer">
        <Children of={element} />
      </a>
    );
  }
  if (!isOnWeb(href)) return <Children of={element} />;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      <Children of={element} />
    </a>
  );
}

function Picture({ element }: { element: Element }) {
  const source = element.getAttribute("src") ?? "";
  const name = element.getAttribute("alt") ?? "";
  return source.startsWith("data:image/svg+xml;base64,") ? <img src={source} alt={name} /> : name;
}
