import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";

import { getSnapshot, isByLink, isOnWeb, listSources, type Quote, type Sentence, type Source } from "../../api/client";
import { MoreBelow } from "../../parts/scrolling/more-below";
import { Loading } from "../../parts/notices";
import { Unread } from "../../parts/text/unread";
import { useWords } from "../../strings/index";
import { SentenceActions } from "../afterwards/remarks";
import { splitAt, type NumberedNote } from "./document";
import { NoteText } from "./report-body";

interface Given {
  runId: string;
  note: NumberedNote;
  /** The sentence that it was opened from, which can be edited, remarked on and asked about. */
  sentence?: Sentence | undefined;
  onNote: (number: number) => void;
  onClose: () => void;
}

/** What a sentence rests on: of a quote, its page as it was read, scrolled to it and marked. */
export function NotePanel({ runId, note, sentence, onNote, onClose }: Given) {
  const { t } = useWords();
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <section className="note stack" aria-labelledby="note" onKeyDown={(event) => event.key === "Escape" && onClose()}>
      <div className="apart">
        <h2 id="note" ref={head} tabIndex={-1}>
          {t("read.note", { n: note.number })}
        </h2>
        <button type="button" className="quiet" aria-label={t("state.close")} onClick={onClose}>
          ✕
        </button>
      </div>
      {sentence && <SentenceActions sentence={sentence} />}
      {note.note.type === "quote" ? (
        <Quoted runId={runId} quote={note.note} number={note.number} />
      ) : (
        <p className="basis">
          <NoteText runId={runId} note={note} onNote={onNote} />
        </p>
      )}
    </section>
  );
}

function Quoted({ runId, quote, number }: { runId: string; quote: Quote; number: number }) {
  const { t } = useWords();
  const sources = useQuery({ queryKey: ["sources", runId], queryFn: () => listSources(runId), staleTime: 10_000 });
  const source = sources.data?.[quote.source - 1];
  const page = quote.page && source?.content_type === "application/pdf" ? `#page=${quote.page}` : "";
  const address = source && (source.kept || (isOnWeb(source.url) ? source.url : ""));
  return (
    <>
      <blockquote>
        {(quote.above ?? []).map((line) => (
          <small key={line}>{line}</small>
        ))}
        {quote.text}
      </blockquote>
      {source ? <Snapshot runId={runId} source={source} quote={quote} /> : <Loading />}
      {source && (
        <div>
          <p className="note-links">
            {!isByLink() && <a href={`/runs/${runId}/sources/${source.n}#note-${number}`}>{t("read.stored.open")}</a>}
            {address && (
              <a href={address + page} target="_blank" rel="noreferrer">
                {t(source.kept ? "read.note.open.kept" : "read.note.open.page")}
              </a>
            )}
          </p>
          <small>{showPlace(source.url)}</small>
        </div>
      )}
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

/** The text of a source as it was read, with the quote marked. */
function Snapshot({ runId, source, quote }: { runId: string; source: Source; quote: Quote }) {
  const { t, date, say } = useWords();
  const mark = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const snapshot = useQuery({
    queryKey: ["snapshot", runId, quote.source],
    queryFn: () => getSnapshot(runId, quote.source),
    staleTime: Infinity,
  });
  const { start = -1, end = -1 } = quote;
  const isLocated = start >= 0;
  const text = snapshot.data ?? "";
  const [before, marked, after] = useMemo(
    () => splitAt(text, Math.max(start, 0), Math.max(end, 0)),
    [text, start, end],
  );
  useEffect(() => {
    if (mark.current && box.current) {
      box.current.scrollTop = mark.current.offsetTop - box.current.clientHeight / 3;
    }
  }, [text]);
  const about = [
    quote.page && t("read.note.page", { n: quote.page }),
    source.publisher,
    source.published,
    t("read.note.retrieved", { date: date(source.retrieved_at) }),
  ];
  return (
    <figure>
      <figcaption>
        <b>{source.title || source.url}</b>
        <small>{about.filter(Boolean).join(" · ")}</small>
        {(source.notes ?? []).map((note) => (
          <small key={note.code} className="doubt">
            {say(note)}
          </small>
        ))}
        <Unread name={source.title || source.url} parts={source.unread} />
      </figcaption>
      {snapshot.isPending && <Loading />}
      {snapshot.data !== undefined && !isLocated && <p className="doubt">{t("read.note.unfound")}</p>}
      <div
        className="snapshot-text scrolls"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={source.title || source.url}
      >
        {before}
        {isLocated && <mark ref={mark}>{marked}</mark>}
        {after}
        <MoreBelow />
      </div>
    </figure>
  );
}
