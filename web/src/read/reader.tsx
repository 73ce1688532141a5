/** A report on its page: what it says, where it says it, and what each sentence rests on. */

import { useContext, useEffect, useMemo, useRef, useState, type ReactNode } from "react";

import type { ReportDocument, Sentence } from "../api/client";
import { focused } from "../parts/dialog/focus";
import { MoreBelow } from "../parts/scrolling/more-below";
import { useWords } from "../strings";
import {
  findCiting,
  findNote,
  listLooks,
  readNoteNumber,
  splitSections,
  type Look,
  type OpenedNote,
} from "./report/document";
import { NotePanel } from "./report/note-panel";
import { NotesContext } from "./afterwards/questions";
import { RemarksContext } from "./afterwards/remarks";
import "./read.css";
import { ReportBody } from "./report/report-body";
import { SourceList } from "./report/source-list";

interface Given {
  runId: string;
  document: ReportDocument;
  /** The texts that stood there before; null: nothing is marked as new. */
  before?: Set<string> | null;
  hasEnded: boolean;
  above?: ReactNode;
  opening?: ReactNode;
  below?: ReactNode;
  beside?: ReactNode;
  /** The margin's content instead of sources, until a note is opened. */
  rail?: ReactNode;
  className?: string;
}

export function Reader({
  runId,
  document: report,
  before = null,
  hasEnded,
  above,
  opening,
  below,
  beside,
  rail,
  className = "",
}: Given) {
  const { t } = useWords();
  const [opened, setOpened] = useState<OpenedNote | null>(() => {
    const note = findNote(report, readNoteNumber()); // the address names it, as the way back from a stored page does
    return note && { runId, note, sentence: findCiting(report, note.number) };
  });
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const number = readNoteNumber();
    if (number > 0) body.current?.querySelector(`[data-note="${number}"]`)?.scrollIntoView({ block: "center" });
  }, []);
  const opener = useRef<HTMLElement>(null);
  const edits = useContext(RemarksContext)?.edits ?? 0;
  const [seenEdits, setSeenEdits] = useState(edits);
  if (edits !== seenEdits) {
    setSeenEdits(edits);
    setOpened(null); // its sentence has other words now
  }
  useEffect(() => {
    if (edits > 0) opener.current?.focus();
  }, [edits]);
  const turnTo = (of: string, document: ReportDocument, number: number, sentence?: Sentence) => {
    const note = findNote(document, number);
    setOpened(note && { runId: of, note, sentence });
  };
  const onNote = (of: string, document: ReportDocument, number: number, sentence?: Sentence) => {
    opener.current = focused();
    if (opened?.runId === of && opened.note.number === number && opened.sentence === sentence) setOpened(null);
    else turnTo(of, document, number, sentence);
  };
  const looks = useMemo(() => listLooks(report), [report]);
  const headings = useMemo(() => splitSections(report).slice(1), [report]);
  return (
    <div className={`read ${className}`} data-noted={opened ? true : undefined}>
      <nav className="contents scrolls" aria-label={t("read.contents")}>
        <ol className="stack">
          {headings.map(({ id, blocks: [heading] }) => (
            <li key={id}>
              <a href={`#${id}`}>{heading?.type === "heading" && heading.text}</a>
            </li>
          ))}
        </ol>
        <MoreBelow of="list.headings" />
      </nav>
      <div className="reading" ref={body}>
        {above}
        <ReportBody
          runId={runId}
          document={report}
          opening={opening}
          hasAnswer={hasEnded && !report.summary}
          before={before}
          shownNote={opened?.runId === runId ? opened.note.number : null}
          onNote={(number, sentence) => onNote(runId, report, number, sentence)}
        />
        <NotesContext value={{ opened, onNote }}>{below}</NotesContext>
      </div>
      <aside className="beside scrolls">
        {opened ? (
          <NotePanel
            key={`${opened.runId} ${opened.note.number}`}
            runId={opened.runId}
            note={opened.note}
            sentence={opened.runId === runId ? opened.sentence : undefined}
            onNote={(number) => turnTo(opened.runId, opened.note.document, number, opened.sentence)}
            onClose={() => {
              setOpened(null);
              opener.current?.focus(); // where one was reading
            }}
          />
        ) : (
          (rail ?? (
            <>
              {looks.length > 0 && <Legend looks={looks} />}
              {beside}
              <SourceList runId={runId} document={report} hasEnded={hasEnded} />
            </>
          ))
        )}
        {!rail && <MoreBelow of="list.sources" items=".source-list li" />}
      </aside>
    </div>
  );
}

function Legend({ looks }: { looks: Look[] }) {
  const { t } = useWords();
  return (
    <section className="legend" aria-labelledby="legend">
      <h2 id="legend" className="label">
        {t("read.legend")}
      </h2>
      <ul className="stack">
        {looks.map((look) => (
          <li key={look}>
            <span className="claim" data-mark={look}>
              {t("read.legend.sample")}
            </span>
            {t(`read.legend.${look}`)}
          </li>
        ))}
      </ul>
    </section>
  );
}
