import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { getSnapshot, isOnWeb, listSources, sourceAddress, type Source } from "../api/client";
import { MoreBelow } from "../parts/more-below";
import { Loading } from "../parts/notices";
import { Unread } from "../parts/unread";
import { useWords } from "../strings";
import { NoteText } from "./report-body";
import { findPage, findQuote, findSource, type Note } from "./report-document";

interface Given {
  runId: string;
  note: Note;
  onNote(number: number): void;
  onClose(): void;
}

/** What a sentence rests on: of a quote, its page as it was read, scrolled to it and marked. */
export function NotePanel({ runId, note, onNote, onClose }: Given) {
  const { t } = useWords();
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <section className="note" aria-labelledby="note" onKeyDown={(event) => event.key === "Escape" && onClose()}>
      <div className="dialog-head">
        <h2 id="note" ref={head} tabIndex={-1}>
          {t("read.note", { n: note.number })}
        </h2>
        <button type="button" className="quiet" aria-label={t("state.close")} onClick={onClose}>
          ✕
        </button>
      </div>
      {note.quote !== null && note.url !== null ? (
        <Quote runId={runId} quote={note.quote} url={note.url} />
      ) : (
        <p className="basis">
          <NoteText element={note.element} onNote={onNote} />
        </p>
      )}
    </section>
  );
}

function Quote({ runId, quote, url }: { runId: string; quote: string; url: string }) {
  const { t } = useWords();
  const sources = useQuery({ queryKey: ["sources", runId], queryFn: () => listSources(runId), staleTime: 10_000 });
  const at = sources.data ? findSource(sources.data, url) : -1;
  const source = sources.data?.[at];
  const text = useSnapshot(runId, at + 1, source !== undefined).data ?? "";
  const page = findPage(text, findQuote(text, quote)?.start ?? 0);
  const opened = page !== null && source?.content_type === "application/pdf" ? `#page=${page}` : "";
  return (
    <>
      <blockquote>{quote}</blockquote>
      {source ? <Snapshot runId={runId} number={at + 1} source={source} quote={quote} /> : <Loading />}
      <p className="place">
        <a href={(source?.kept || sourceAddress(runId, url)) + opened} target="_blank" rel="noreferrer">
          {t(source?.kept || !isOnWeb(url) ? "read.note.open.kept" : "read.note.open.page")}
        </a>
        {source && <small>{showPlace(source.url)}</small>}
      </p>
    </>
  );
}

/** Return a page's address as people write it, and a file's name. */
function showPlace(url: string): string {
  try {
    return decodeURI(url).replace(/^file:\/\/\//, "");
  } catch {
    return url;
  }
}

/** The text of a source as it was read. */
const useSnapshot = (runId: string, number: number, enabled = true) =>
  useQuery({
    queryKey: ["snapshot", runId, number],
    queryFn: () => getSnapshot(runId, number),
    staleTime: Infinity,
    enabled,
  });

function Snapshot({ runId, number, source, quote }: { runId: string; number: number; source: Source; quote: string }) {
  const { t, date } = useWords();
  const mark = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const snapshot = useSnapshot(runId, number);
  const text = snapshot.data ?? "";
  const place = findQuote(text, quote);
  useEffect(() => {
    if (mark.current && box.current) {
      box.current.scrollTop = mark.current.offsetTop - box.current.clientHeight / 3;
    }
  }, [text]);
  const page = place && findPage(text, place.start);
  const about = [
    page && t("read.note.page", { n: page }),
    source.publisher,
    source.published,
    t("read.note.retrieved", { date: date(source.retrieved_at) }),
  ];
  return (
    <figure className="snapshot">
      <figcaption>
        <b>{source.title || source.url}</b>
        <small>{about.filter(Boolean).join(" · ")}</small>
        {(source.notes ?? []).map((note) => (
          <small key={note} className="doubt">
            {note}
          </small>
        ))}
        <Unread name={source.title || source.url} parts={source.unread} />
      </figcaption>
      {snapshot.isPending && <Loading />}
      {snapshot.data !== undefined && !place && <p className="doubt">{t("read.note.unfound")}</p>}
      <div className="snapshot-text scrolls" ref={box} tabIndex={0} role="region" aria-label={source.title || source.url}>
        {place ? (
          <>
            {text.slice(0, place.start)}
            <mark ref={mark}>{text.slice(place.start, place.end)}</mark>
            {text.slice(place.end)}
          </>
        ) : (
          text
        )}
        <MoreBelow />
      </div>
    </figure>
  );
}
