/** A report on its page: what it says, where it says it, and what each sentence rests on. */

import { useMemo, useRef, useState, type ReactNode } from "react";

import { reportFile, type ReportDocument } from "../api/client";
import { focused } from "../parts/focus";
import { MoreBelow } from "../parts/more-below";
import { useWords } from "../strings";
import { findNote, listLooks, splitSections, type Look } from "./document";
import { NotePanel } from "./note-panel";
import "./read.css";
import { ReportBody } from "./report-body";
import { SourceList } from "./source-list";

const FORMATS = ["pdf", "docx", "md", "html"] as const;

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
}

export function Reader({ runId, document: report, before = null, hasEnded, above, opening, below, beside }: Given) {
  const { t } = useWords();
  const [note, setNote] = useState<number | null>(null);
  const opener = useRef<HTMLElement>(null);
  const shown = note === null ? null : findNote(report, note);
  const looks = useMemo(() => listLooks(report), [report]);
  const headings = useMemo(() => splitSections(report).slice(1), [report]);
  return (
    <div className="read" data-noted={shown ? true : undefined}>
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
      <div className="reading">
        {above}
        <ReportBody
          runId={runId}
          document={report}
          opening={opening}
          before={before}
          shownNote={note}
          onNote={(number) => {
            opener.current = focused();
            setNote(number === note ? null : number);
          }}
        />
        {below}
      </div>
      <aside className="beside scrolls">
        {shown ? (
          <NotePanel
            key={shown.number}
            runId={runId}
            note={shown}
            onNote={setNote}
            onClose={() => {
              setNote(null);
              opener.current?.focus(); // where one was reading
            }}
          />
        ) : (
          <>
            <section aria-labelledby="download">
              <h2 id="download" className="label">
                {t("read.download")}
              </h2>
              <p className="formats row">
                {FORMATS.map((format) => (
                  <a className="button" key={format} href={reportFile(runId, format)} download={`report.${format}`}>
                    {format.toUpperCase()}
                  </a>
                ))}
              </p>
            </section>
            {looks.length > 0 && <Legend looks={looks} />}
            {beside}
            <SourceList runId={runId} hasEnded={hasEnded} />
          </>
        )}
        <MoreBelow of="list.sources" items=".source-list li" />
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
