/** A report's document as elements of the page: its text is text, and its notes open. */

import { useQuery } from "@tanstack/react-query";
import { createContext, Fragment, useContext, useMemo, type MouseEvent, type ReactNode } from "react";

import {
  getArtifactText,
  placeAddress,
  type Block,
  type Column,
  type DocumentSource,
  type Mark,
  type Note,
  type Quote,
  type ReportDocument,
  type Sentence,
} from "../../api/client";
import { ErrorNotice } from "../../parts/notices";
import "../../parts/scrolling/shade.css";
import { useWords } from "../../strings/index";
import { findLook, nameBlocks, splitSections, textOfRow, type NumberedNote, type Section } from "./document";
import "./report.css";
import { pick } from "../../parts/pick";
import { Address } from "../address";
import { RemarkOn, RemarksContext } from "../afterwards/remarks";
import { useSourcePlace } from "../stored/stored-place";

interface Reading {
  runId: string;
  document: ReportDocument;
  /** The texts that stood there before; null: nothing is marked as new. */
  before: Set<string> | null;
  shownNote: number | null;
  /** Opens a note, from the sentence and the number that are pressed. */
  onNote: ((number: number, sentence?: Sentence, pressed?: HTMLElement) => void) | null;
}

/** The sentence that a number stands in. */
const SentenceContext = createContext<Sentence | undefined>(undefined);

const ReadingContext = createContext<Reading | null>(null);

const useReading = () => useContext(ReadingContext)!;

interface Given extends Partial<Reading> {
  runId: string;
  document: ReportDocument;
  /** The content below its title. */
  opening?: ReactNode;
  /** It begins with its answer, which is set larger. */
  hasAnswer?: boolean;
}

export function ReportBody({
  runId,
  document,
  opening,
  hasAnswer = false,
  before = null,
  shownNote = null,
  onNote = null,
}: Given) {
  const sections = useMemo(() => splitSections(document), [document]);
  return (
    <ReadingContext value={{ runId, document, before, shownNote, onNote }}>
      <article className="report" lang={document.language}>
        {document.title && <h2>{document.title}</h2>}
        {opening}
        {sections.map((section, n) => (
          <SectionBody key={section.key} section={section} isAnswer={hasAnswer && n === 1} />
        ))}
      </article>
    </ReadingContext>
  );
}

function SectionBody({ section: { id, blocks, isAppendix }, isAnswer }: { section: Section; isAnswer: boolean }) {
  const keys = nameBlocks(blocks);
  const [first, ...rest] = blocks.map((block, n) => (
    <BlockBody key={pick(keys, n)} block={block} id={n === 0 ? id : ""} isAnswer={isAnswer && n === 1} />
  ));
  if (!isAppendix) return [first, ...rest];
  return (
    <details className="appendix">
      <summary>{first}</summary>
      {rest}
    </details>
  );
}

/** A note that is no quote, in which other notes can be opened as well. */
export function NoteText({
  runId,
  note,
  onNote,
}: {
  runId: string;
  note: NumberedNote;
  onNote: (number: number) => void;
}) {
  return (
    <ReadingContext value={{ runId, document: note.document, before: null, shownNote: null, onNote }}>
      <NoteBody note={note.note} />
    </ReadingContext>
  );
}

function BlockBody({ block, id, isAnswer }: { block: Block; id: string; isAnswer: boolean }) {
  const { document } = useReading();
  const isNew = useNew();
  switch (block.type) {
    case "heading": {
      const Tag = block.level === 2 ? "h3" : "h4"; // below the page's own
      return (
        <Tag id={id || undefined} data-new={isNew(block.text)}>
          {block.text}
        </Tag>
      );
    }
    case "paragraph":
      return (
        <p className={isAnswer ? "first-answer" : undefined}>
          <Sentences of={block.sentences} />
        </p>
      );
    case "remark":
      return (
        <p className="remark" data-new={isNew(block.text)}>
          {block.text}
        </p>
      );
    case "callout":
      return <Callout title={block.title ?? ""} lines={block.lines ?? []} />;
    case "list":
      return (
        <Items
          items={block.items.map((item) => (
            <Sentences of={[item]} />
          ))}
          isOrdered={block.is_ordered ?? false}
        />
      );
    case "table":
      return <Table table={block} />;
    case "exhibit":
      return <Exhibit exhibit={block} />;
    case "quotes":
      return (
        <Items
          items={block.quotes.map((quote) => (
            <QuoteBody quote={quote} />
          ))}
        />
      );
    case "notes":
      return (
        <Items
          items={(document.notes ?? []).map((note) => (
            <NoteBody note={note} isListed />
          ))}
          isOrdered
        />
      );
    case "sources":
      return (
        <Items
          items={block.numbers.map((n) => (
            <SourceBody source={pick(document.sources, n - 1)} />
          ))}
        />
      );
  }
}

/** Return a function that tells whether a text is new. */
function useNew() {
  const { before } = useReading();
  return (text: string) => (before !== null && !before.has(text)) || undefined;
}

function Items({ items, isOrdered = false }: { items: ReactNode[]; isOrdered?: boolean }) {
  const Tag = isOrdered ? "ol" : "ul";
  return (
    <Tag>
      {items.map((item, n) => (
        <li key={n}>{item}</li>
      ))}
    </Tag>
  );
}

function Callout({ title, lines }: { title: string; lines: string[] }) {
  const isNew = useNew();
  return (
    <blockquote data-new={isNew(title || pick(lines, 0))}>
      {title && (
        <p>
          <strong>{title}</strong>
        </p>
      )}
      {title ? lines.length > 0 && <Items items={lines} /> : lines.map((line, n) => <p key={n}>{line}</p>)}
    </blockquote>
  );
}

/** What a column is called where its head is out of sight. */
const nameColumn = ({ label, unit }: Column) => (unit ? `${label} (${unit})` : label);

function Table({ table }: { table: Extract<Block, { type: "table" }> }) {
  const { t } = useWords();
  const { runId } = useReading();
  const isNew = useNew();
  const side = (column: Column) => (column.is_figure ? "figure" : undefined);
  return (
    <>
      <div className="wide shaded" role="region" tabIndex={0} aria-label={table.caption || t("read.table")}>
        <table role="table">
          {table.caption && <caption>{table.caption}</caption>}
          <thead>
            <tr>
              {table.columns.map((column, n) => (
                <th key={n} className={side(column)}>
                  {column.label} {column.unit && <small>({column.unit})</small>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, n) => (
              <tr key={n} role="row" data-new={isNew(textOfRow(row))}>
                {row.map((cell, at) => (
                  <td
                    key={at}
                    role="cell"
                    className={side(pick(table.columns, at))}
                    data-of={nameColumn(pick(table.columns, at))}
                  >
                    {cell ? <SentenceBody sentence={cell} /> : "–"}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.remark && (
        <p className="remark">
          <Address to={table.artifact ? placeAddress(runId, `artifacts/${table.artifact}`) : ""}>
            {table.remark}
          </Address>
        </p>
      )}
    </>
  );
}

function Exhibit({ exhibit: { name, artifact, remark } }: { exhibit: Extract<Block, { type: "exhibit" }> }) {
  const { runId } = useReading();
  const drawing = useQuery({
    queryKey: ["artifact", runId, artifact],
    queryFn: () => getArtifactText(runId, artifact),
    enabled: Boolean(artifact),
    staleTime: Infinity,
  });
  return (
    <>
      <p>
        {drawing.data ? (
          <img src={`data:image/svg+xml,${encodeURIComponent(drawing.data)}`} alt={name} />
        ) : (
          <strong>{name}</strong>
        )}
      </p>
      {drawing.error && <ErrorNotice error={drawing.error} onRetry={() => void drawing.refetch()} />}
      {remark && <p className="remark">{remark}</p>}
    </>
  );
}

function Sentences({ of: sentences }: { of: Sentence[] }) {
  const isNew = useNew();
  return sentences.map((sentence, n) => (
    <Fragment key={n}>
      {n > 0 && " "}
      <span data-new={isNew(sentence.text)}>
        <SentenceBody sentence={sentence} />
      </span>
    </Fragment>
  ));
}

/** A sentence with its numbers, drawn so that a judgement, a computed figure and a doubt look like it. */
function SentenceBody({ sentence }: { sentence: Sentence }) {
  const { text, lead, opens, notes = [] } = sentence;
  const told = (sentence.marks ?? []).filter(({ label }) => label);
  const marks = told.filter(({ position }) => position === "behind");
  const about = (position: Mark["position"]) => told.find((mark) => mark.position === position)?.label ?? "";
  const { onNote } = useReading();
  const remarks = useContext(RemarksContext);
  const look = findLook(sentence);
  const [first] = notes;
  const isPressable = onNote !== null && (first !== undefined || remarks !== null);
  /** A press on the words opens what they rest on, as their number does; one that selects words does nothing. */
  function onPress(event: MouseEvent<HTMLElement>) {
    const isOnControl = event.target instanceof Element && event.target.closest("button, a") !== null;
    if (isOnControl || !getSelection()?.isCollapsed) return;
    const number = event.currentTarget.querySelector<HTMLElement>("button.note-number");
    if (first !== undefined) onNote?.(first, sentence, number ?? event.currentTarget);
    else remarks?.onChoose(sentence);
  }
  const cited = <Cited text={text} notes={notes} before={about("before_notes")} />;
  const body = (
    <>
      {lead && <strong>{lead} </strong>}
      {opens ? <strong>{cited}</strong> : cited}
      {about("after_notes") && <em className="about-notes"> {about("after_notes")}</em>}
      {marks.length > 0 && " "}
      {marks.length > 0 && <Marks marks={marks} />}
      <RemarkOn sentence={sentence} />
    </>
  );
  if (!look && !isPressable) return body;
  return (
    <SentenceContext value={sentence}>
      <span
        className={look ? "claim" : undefined}
        data-mark={look ?? undefined}
        data-pressable={isPressable || undefined}
        data-sentence={sentence.number}
        onClick={isPressable ? onPress : undefined}
      >
        {body}
      </span>
    </SentenceContext>
  );
}

/** The marks in one frame, and behind it the numbers of their notes. */
function Marks({ marks }: { marks: Mark[] }) {
  const notes = marks.flatMap(({ note }) => note ?? []);
  return (
    <Bound notes={notes}>
      <em className="frame">({marks.map(({ label }) => label).join("; ")})</em>
    </Bound>
  );
}

/** The first number stays on the line of what it is about, which no blank before a button would do; further ones may wrap. */
function Bound({ notes: [first, ...others], children }: { notes: number[]; children: ReactNode }) {
  return (
    <>
      <span className="bound">
        {children}
        {first !== undefined && <Number number={first} />}
      </span>
      {others.map((number) => (
        <Number key={number} number={number} />
      ))}
    </>
  );
}

function Cited({ text, notes, before: about = "" }: { text: string; notes: number[]; before?: string }) {
  if (notes.length === 0) return <Words of={text} />;
  const [, before = "", word = ""] = /^(.*?)(`[^`]{1,24}`\S{0,2}|\S{0,24})\s*$/s.exec(text)!;
  return (
    <>
      <Words of={before} />
      <Bound notes={notes}>
        <Words of={word} />
        {"\u202f"}
        {about && <em className="about-notes">{about}</em>}
        {about && " "}
      </Bound>
    </>
  );
}

/** Code between backticks, or a date or a filing's number, which is read at one glance. */
const WHOLE = /(`[^`|\s](?:[^`|\n]*[^`|\s])?`|\d{1,10}(?:-\d{1,6}){1,2})/;

/** Text with code, and with dates and numbers that do not wrap. */
function Words({ of }: { of: string }) {
  return of.split(WHOLE).map((part, n) =>
    n % 2 === 0 ? (
      part
    ) : part.startsWith("`") ? (
      <code key={n}>{part.slice(1, -1)}</code>
    ) : (
      <span key={n} className="unbroken">
        {part}
      </span>
    ),
  );
}

/** The number of a note, which opens it. */
function Number({ number }: { number: number }) {
  const { document, onNote, shownNote } = useReading();
  const sentence = useContext(SentenceContext);
  const { t } = useWords();
  if (!onNote) return <sup className="note-number">{number}</sup>;
  return (
    <button
      type="button"
      className="note-number"
      title={hintOf(document.notes?.[number - 1])}
      aria-label={t("read.note.open", { n: number })}
      data-note={number}
      aria-pressed={shownNote === number}
      onClick={(event) => onNote(number, sentence, event.currentTarget)}
    >
      {number}
    </button>
  );
}

const MAX_HINT = 500;

/** What is shown of a note where it is pointed at. */
function hintOf(note: Note | undefined): string {
  if (!note) return "";
  if (note.type === "working") return `${note.label}: ${note.expression}`;
  if (note.type === "quote") return (leadOf(note) + note.text).slice(0, MAX_HINT);
  if (note.type === "reference") return "";
  const text = note.type === "basis" ? note.sentences.map(({ text }) => text).join(" ") : note.text;
  return text.slice(0, MAX_HINT);
}

/** A note; in the list of all notes a judgement names the notes of its sentences, which the text has. */
function NoteBody({ note, isListed = false }: { note: Note; isListed?: boolean }) {
  const { document } = useReading();
  switch (note.type) {
    case "quote":
      return <QuoteBody quote={note} />;
    case "working":
      return <Cited text={`${note.label}: ${note.expression}`} notes={note.quotes ?? []} />;
    case "basis":
      return isListed ? (
        <Cited text={`${note.label}:`} notes={[...new Set(note.sentences.flatMap(({ notes = [] }) => notes))]} />
      ) : (
        <>
          {note.label}: <Sentences of={note.sentences} />
        </>
      );
    case "doubt":
      return `${note.label}: ${note.text}`;
    case "reference":
      return <SourceBody source={pick(document.sources, note.source - 1)} />;
  }
}

/** The lines above a table's row, in one. */
const leadOf = ({ above = [] }: Quote) => (above.length ? `${above.join(" / ")}: ` : "");

/** A quote with its source, which opens, and the page that it is on. */
function QuoteBody({ quote }: { quote: Quote }) {
  const { text, source: number, place, address, remark } = quote;
  const { runId, document } = useReading();
  const placeSource = useSourcePlace(runId);
  const source = document.sources?.[number - 1];
  return (
    <>
      {leadOf(quote)}
      <q>{text}</q> —{" "}
      {source ? (
        <>
          <Address to={placeSource(number, source.address ?? "")}>{source.title}</Address>
          {(source.about ?? []).map((part) => `, ${part}`)}
        </>
      ) : (
        number
      )}
      {place && (
        <>
          , <Address to={placeSource(number, address ?? "")}>{place}</Address>
        </>
      )}
      {remark && ` (${remark})`}
    </>
  );
}

function SourceBody({ source }: { source: DocumentSource }) {
  const { runId } = useReading();
  const placeSource = useSourcePlace(runId);
  const { number, title, about = [], address = "", path, doubts = [] } = source;
  return (
    <>
      {[title, about.join(", ")].filter(Boolean).join(" — ")}:{" "}
      <Address to={placeSource(number, address)}>{path || address}</Address>
      {doubts.length > 0 && <em> ({doubts.join("; ")})</em>}
    </>
  );
}
