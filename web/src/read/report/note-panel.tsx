import { useQuery } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useMemo, useRef } from "react";

import { getSnapshot, isOnWeb, listSources, type Quote, type Sentence, type Source } from "../../api/client";
import { ONE_COLUMN, useMedia } from "../../parts/hooks/media";
import { Loading } from "../../parts/notices";
import { MoreBelow } from "../../parts/scrolling/more-below";
import { showInBoxes } from "../../parts/scrolling/show-in-boxes";
import { Unread } from "../../parts/text/unread";
import { useWords } from "../../strings/index";
import { SentenceActions } from "../afterwards/remarks";
import { placeFile, placeStored } from "../stored/stored-place";
import { cutAround, splitAt, type NumberedNote } from "./document";
import { NoteText } from "./report-body";
import { Facts } from "../../parts/text/facts";

interface Given {
  runId: string;
  note: NumberedNote;
  /** The sentence that it was opened from, which can be edited, remarked on and asked about. */
  sentence?: Sentence | undefined;
  /** Its sentence is in a draft, or not in the report that is shown. */
  isDraft?: boolean;
  onNote: (number: number) => void;
  onClose: () => void;
}

/** What a sentence rests on: of a quote, its page as it was read, scrolled to it and marked; on a phone what is around it. */
export function NotePanel({ runId, note, sentence, isDraft = false, onNote, onClose }: Given) {
  const { t } = useWords();
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <section className="note stack" aria-labelledby="note" onKeyDown={(event) => event.key === "Escape" && onClose()}>
      <div className="note-head apart">
        <h2 id="note" ref={head} tabIndex={-1}>
          {t("read.note", { n: note.number })}
        </h2>
        <button type="button" className="quiet" aria-label={t("state.close")} onClick={onClose}>
          ✕
        </button>
      </div>
      {sentence && <SentenceActions sentence={sentence} isDraft={isDraft} />}
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
  const isSheet = useMedia(ONE_COLUMN);
  const sources = useQuery({ queryKey: ["sources", runId], queryFn: () => listSources(runId), staleTime: 10_000 });
  const snapshot = useSnapshot(runId, quote.source);
  const isShownInText = isSheet && isLocated(quote) && !snapshot.isError;
  const source = sources.data?.[quote.source - 1];
  const page = quote.page && source?.content_type === "application/pdf" ? `#page=${quote.page}` : "";
  const file = source && placeFile(source);
  const address = file || (source && isOnWeb(source.url) && !source.kept ? source.url : "");
  return (
    <>
      {(!isShownInText || (quote.above ?? []).length > 0) && (
        <blockquote>
          {(quote.above ?? []).map((line) => (
            <small key={line}>{line}</small>
          ))}
          {!isShownInText && quote.text}
        </blockquote>
      )}
      {source ? <Snapshot runId={runId} source={source} quote={quote} isSheet={isSheet} /> : <Loading />}
      {source && (
        <div>
          <p className="note-links">
            <a href={placeStored(runId, source.n, number)}>{t("read.stored.open")}</a>
            {address && (
              <a href={address + page} target="_blank" rel="noreferrer">
                {t(file ? "read.note.open.file" : "read.note.open.page")}
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

const isLocated = ({ start = -1 }: Quote) => start >= 0;

const useSnapshot = (runId: string, source: number) =>
  useQuery({
    queryKey: ["snapshot", runId, source],
    queryFn: () => getSnapshot(runId, source),
    staleTime: Infinity,
  });

interface SnapshotGiven {
  runId: string;
  source: Source;
  quote: Quote;
  /** It scrolls with all that stands around it, so only the quote and what is beside it are shown. */
  isSheet: boolean;
}

/** The text of a source as it was read, with the quote marked. */
function Snapshot({ runId, source, quote, isSheet }: SnapshotGiven) {
  const { t, date, say } = useWords();
  const mark = useRef<HTMLElement>(null);
  const snapshot = useSnapshot(runId, quote.source);
  const { start = -1, end = -1 } = quote;
  const text = snapshot.data ?? "";
  const [before, marked, after] = useMemo(() => {
    const parts = splitAt(text, Math.max(start, 0), Math.max(end, 0));
    return isSheet ? cutAround(parts) : parts;
  }, [text, start, end, isSheet]);
  useLayoutEffect(() => {
    if (mark.current) showInBoxes(mark.current);
  }, [text, isSheet]);
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
        <small>
          <Facts of={about} />
        </small>
        {(source.notes ?? []).map((note) => (
          <small key={note.code} className="doubt">
            {say(note)}
          </small>
        ))}
        <Unread name={source.title || source.url} parts={source.unread} />
      </figcaption>
      {snapshot.data !== undefined && !isLocated(quote) && <p className="doubt">{t("read.note.unfound")}</p>}
      <div
        className={isSheet ? "snapshot-text" : "snapshot-text scrolls"}
        tabIndex={isSheet ? undefined : 0}
        role="region"
        aria-label={source.title || source.url}
      >
        {snapshot.isPending && <Loading />}
        {before}
        {isLocated(quote) && <mark ref={mark}>{marked}</mark>}
        {after}
        {!isSheet && <MoreBelow />}
      </div>
    </figure>
  );
}
