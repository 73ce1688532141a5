/** The stored copy of a source: its text as it was read, with the quote of a note marked, and the way back to the sentence. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { Link } from "wouter";

import { getReportDocument, getSnapshot, isOnWeb, listSources, Problem } from "../../api/client";
import { ErrorNotice, Loading, Missing } from "../../parts/notices";
import { useTitle } from "../../parts/text/title";
import { useWords } from "../../strings";
import { readNoteNumber, splitAt } from "../report/document";
import "./stored.css";
import { Facts } from "../../parts/text/facts";

export default function StoredView({ runId, n }: { runId: string; n: number }) {
  const { t } = useWords();
  const number = readNoteNumber();
  return (
    <StoredPage runId={runId} n={n} number={number}>
      <Link href={`/runs/${runId}/report${number > 0 ? `#note-${number}` : ""}`}>
        ← {t(number > 0 ? "read.stored.sentence" : "read.stored.report")}
      </Link>
    </StoredPage>
  );
}

interface Given {
  runId: string;
  n: number;
  /** The note whose quote is marked; 0: none. */
  number: number;
  /** The way back. */
  children: ReactNode;
}

export function StoredPage({ runId, n, number, children }: Given) {
  const { t, date, say } = useWords();
  const sources = useQuery({ queryKey: ["sources", runId], queryFn: () => listSources(runId), retry: false });
  const source = sources.data?.[n - 1];
  const text = useQuery({
    queryKey: ["snapshot", runId, n],
    queryFn: () => getSnapshot(runId, n),
    enabled: source !== undefined,
    staleTime: Infinity,
  });
  const report = useQuery({
    queryKey: ["report", runId, 0],
    queryFn: () => getReportDocument(runId),
    enabled: number > 0,
    retry: false,
  });
  const note = report.data?.notes?.[number - 1];
  const quote = note?.type === "quote" && note.source === n ? note : undefined;
  const { start = -1, end = -1 } = quote ?? {};
  const [before, marked, after] = useMemo(
    () => splitAt(text.data ?? "", Math.max(start, 0), Math.max(end, 0)),
    [text.data, start, end],
  );
  useTitle(source?.title ?? "");
  const failure = sources.error ?? text.error;
  if (failure instanceof Problem && failure.status === 404) return <Missing />;
  if (failure) return <ErrorNotice error={failure} onRetry={() => void (sources.error ? sources : text).refetch()} />;
  if (sources.data && !source) return <Missing />;
  if (!source || text.data === undefined) return <Loading />;
  const about = [source.publisher, source.published, t("read.note.retrieved", { date: date(source.retrieved_at) })];
  return (
    <article className="stored stack">
      {children}
      <h1>{source.title || source.url}</h1>
      <p className="muted">
        <Facts of={about} />
      </p>
      <p className="address">
        {isOnWeb(source.url) ? (
          <a href={source.url} target="_blank" rel="noreferrer">
            {source.url}
          </a>
        ) : (
          source.url
        )}
      </p>
      {(source.notes ?? []).map((each) => (
        <p key={each.code} className="muted">
          {say(each)}
        </p>
      ))}
      {quote && start < 0 && <p role="status">{t("read.note.unfound")}</p>}
      <div className="stored-text">
        {before}
        {start >= 0 && <Marked text={marked} />}
        {after}
      </div>
    </article>
  );
}

/** The quote, in sight once it is drawn. */
function Marked({ text }: { text: string }) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    mark.current?.scrollIntoView({ block: "center" });
  }, [text]);
  return <mark ref={mark}>{text}</mark>;
}
