/** A report for holders of its share link, read-only. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState, type MouseEvent } from "react";

import { fetchFile, getReportHead, readByLink, type ReportHead } from "../api/client";
import { Clamped } from "../parts/text/clamped";
import { ErrorNotice, Loading, Notice, useProblemText } from "../parts/notices";
import { useTitle } from "../parts/text/title";
import { Download } from "../read/hand-on/download";
import { EndNotices } from "../read/end-notices";
import { LIVES_MS, saveFile } from "../read/hand-on/save-file";
import { Reader } from "../read/reader";
import { useReport } from "../read/report/report-at";
import { readStoredPlace } from "../read/stored/stored-place";
import { StoredPage } from "../read/stored/stored-view";
import { Summary } from "../read/summary";
import "../run/run.css";
import { nameModel } from "../parts/model-name";
import { useWords } from "../strings";
import { Facts } from "../parts/text/facts";

/** The link's secret follows `#`, so browsers do not send it. */
export default function SharedView({ runId }: { runId: string }) {
  const { t } = useWords();
  const [token] = useState(() => {
    const given = location.hash.slice(1);
    readByLink(given);
    return given;
  });
  useEffect(() => {
    const openAnother = () => location.hash.startsWith("#gl_") && location.reload();
    window.addEventListener("hashchange", openAnother);
    return () => window.removeEventListener("hashchange", openAnother);
  }, []);
  if (!token) return <Refusal text={t("shared.broken")} />;
  return <SharedReport runId={runId} />;
}

function SharedReport({ runId }: { runId: string }) {
  const { t } = useWords();
  const say = useProblemText();
  const { document, error } = useReport(runId, 0);
  const head = useQuery({ queryKey: ["report-head", runId], queryFn: () => getReportHead(runId), retry: false });
  const [failure, setFailure] = useState<Error | null>(null);
  const [stored, turnTo] = useStoredPage();
  useTitle(document?.title ?? t("app.name"));
  const status = error && "status" in error ? error.status : null;
  if (status === 401 || (status === 404 && !document)) return <Refusal text={t("shared.over")} />;
  const isOfStandIn = head.data?.offline === true && !head.data.recorded;
  if (error && !document) return <ErrorNotice error={error} />;
  if (!document || head.isPending) return <Loading />;

  /** Files of the gateway are fetched here: a download of the browser's own would not show the link. */
  function onClick(event: MouseEvent) {
    const place = (event.target as Element).closest("a");
    if (place?.hash && place.pathname === location.pathname) {
      event.preventDefault(); // the address goes on holding the link
      window.document.getElementById(place.hash.slice(1))?.scrollIntoView();
    }
    const stored = place && readStoredPlace(place);
    if (stored?.runId === runId) {
      event.preventDefault();
      turnTo(stored);
      return;
    }
    if (!place || place.origin !== location.origin || !place.pathname.startsWith("/v1/")) return;
    event.preventDefault();
    setFailure(null);
    fetchFile(place.pathname + place.search).then(
      (file) =>
        (isRead(file) && !place.download && show(file)) ||
        saveFile(file, place.download || place.pathname.split("/").at(-1)!),
      (reason: unknown) => setFailure(reason as Error),
    );
  }

  return (
    <>
      {stored && (
        <StoredPage runId={runId} n={stored.source} number={stored.note}>
          <button type="button" className="link" onClick={() => history.back()}>
            ← {t(stored.note > 0 ? "read.stored.sentence" : "read.stored.report")}
          </button>
        </StoredPage>
      )}
      <div
        className="run stack"
        data-part="report"
        style={stored ? { display: "none" } : undefined}
        onClickCapture={onClick}
      >
        {failure && <p role="alert">{say(failure)}</p>}
        <header className="run-head slim">
          {head.data ? (
            <Clamped as="h1" className="query" text={head.data.question} />
          ) : (
            <h1 className="unseen">{document.title}</h1>
          )}
          <div className="controls row">
            <Download runId={runId} />
          </div>
        </header>
        <Reader
          runId={runId}
          document={document}
          hasEnded
          isOfStandIn={isOfStandIn}
          opening={
            <>
              {isOfStandIn && <Notice kind="wait">{t("read.offline")}</Notice>}
              {head.data && <HeadNotices head={head.data} />}
              {document.summary && <Summary text={document.summary} />}
            </>
          }
        />
      </div>
    </>
  );
}

/** The stored page that is shown over the report; the address goes on holding the link, and one step back is where one was. */
function useStoredPage() {
  const [shown, setShown] = useState<{ source: number; note: number } | null>(null);
  const left = useRef(0);
  useEffect(() => {
    const leave = () => setShown(null);
    window.addEventListener("popstate", leave);
    return () => window.removeEventListener("popstate", leave);
  }, []);
  useLayoutEffect(() => {
    if (!shown) scrollTo({ top: left.current, behavior: "instant" });
  }, [shown]);
  function turnTo(stored: { source: number; note: number }) {
    history.pushState(null, "", location.href);
    left.current = scrollY;
    setShown(stored);
  }
  return [shown, turnTo] as const;
}

/** How the run ended and what is missing, if it did not complete; then its price, sources and model: the report says its day. */
function HeadNotices({ head }: { head: ReportHead }) {
  const words = useWords();
  const { t, usd } = words;
  const { notices = [], sources_read: n } = head;
  const price = head.offline ? t("run.free") : usd(head.usd);
  return (
    <>
      <EndNotices notices={notices} />
      <p className="muted">
        <Facts of={[price, t("shared.sources", { n }), head.offline ? "" : nameModel(head, words)]} />
      </p>
    </>
  );
}

function Refusal({ text }: { text: string }) {
  const { t } = useWords();
  return (
    <div className="empty">
      <h1>{text}</h1>
      <p>{t("shared.ask")}</p>
    </div>
  );
}

/** Plain text runs nothing wherever it is opened. */
const isRead = (file: Blob) => file.type.startsWith("text/plain");

/** Open a file in a tab; false: the browser does not let it. */
function show(file: Blob): boolean {
  const address = URL.createObjectURL(file);
  setTimeout(() => URL.revokeObjectURL(address), LIVES_MS);
  return window.open(address, "_blank") !== null;
}
