/** A report for whoever has its link: to read, and nothing else. */

import { useEffect, useState, type MouseEvent } from "react";

import { fetchFile, readByLink } from "../api/client";
import { Loading, useProblemText } from "../parts/notices";
import { useTitle } from "../parts/title";
import { Reader } from "../read/reader";
import { useReport } from "../read/report-at";
import { useWords } from "../strings";

/** The link's secret stands behind `#`, which no browser sends. */
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
  const [failure, setFailure] = useState("");
  useTitle(document?.title ?? t("app.name"));
  const isOver = error && "status" in error && error.status === 401;
  if (error && (isOver || !document)) return <Refusal text={isOver ? t("shared.over") : say(error)} />;
  if (!document) return <Loading />;

  /** Files of the gateway are fetched here: a download of the browser's own would not show the link. */
  function onClick(event: MouseEvent) {
    const place = (event.target as Element).closest("a");
    if (place?.hash && place.pathname === location.pathname) {
      event.preventDefault(); // the address goes on holding the link
      window.document.getElementById(place.hash.slice(1))?.scrollIntoView();
    }
    if (!place || place.origin !== location.origin || !place.pathname.startsWith("/v1/")) return;
    event.preventDefault();
    setFailure("");
    fetchFile(place.pathname + place.search).then(
      (file) => save(file, place.download || place.pathname.split("/").at(-1)!),
      (reason: Error) => setFailure(say(reason)),
    );
  }

  return (
    <div className="run" onClickCapture={onClick}>
      {failure && <p role="alert">{failure}</p>}
      <h1 className="unseen">{document.title}</h1>
      <Reader runId={runId} document={document} hasEnded />
    </div>
  );
}

function Refusal({ text }: { text: string }) {
  return (
    <div className="empty">
      <h1>{text}</h1>
    </div>
  );
}

function save(file: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
