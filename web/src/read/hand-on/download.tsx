/** A menu in the head to download the report in each format. */

import { useMutation } from "@tanstack/react-query";
import { useId, useState, type MouseEvent } from "react";

import { fetchNamedFile, reportFile, runArchive } from "../../api/client";
import { ErrorNotice } from "../../parts/notices";
import { useWords } from "../../strings";
import "./download.css";
import { saveFile } from "./save-file";

const FORMATS = { pdf: "PDF", docx: "Word", md: "Markdown", html: "HTML" } as const;
const REFERENCES = { bib: "BibTeX", ris: "RIS", csl: "CSL-JSON" } as const;

interface DownloadGiven {
  runId: string;
  /** A reader of a share link gets no archive: it holds all of the run. */
  hasArchive?: boolean;
}

export function Download({ runId, hasArchive }: DownloadGiven) {
  const { t } = useWords();
  const id = useId();
  const [hasAppendix, setAppendix] = useState(true);
  const make = useMutation({
    mutationFn: async (link: HTMLAnchorElement) => {
      const { file, name } = await fetchNamedFile(link.pathname + link.search);
      saveFile(file, name || link.download);
    },
  });

  /** Fetch the file, so that a failure is said here; the browser's own download would only say that there was one. */
  function onClick(event: MouseEvent) {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[download]:not([data-large])");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!make.isPending) make.mutate(link);
  }

  return (
    <>
      <button type="button" className="primary" popoverTarget={id}>
        {t("read.download")}
      </button>
      <div className="formats card" id={id} popover="auto" onClick={onClick}>
        {make.isPending && <p role="status">{t("read.download.made")} …</p>}
        {make.error && <ErrorNotice error={make.error} />}
        <p className="row">
          {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => (
            <a
              className="button"
              key={format}
              href={reportFile(runId, format, hasAppendix)}
              download={`report.${format}`}
            >
              {FORMATS[format]}
            </a>
          ))}
        </p>
        <label className="check">
          <input type="checkbox" checked={hasAppendix} onChange={() => setAppendix(!hasAppendix)} />{" "}
          {t("read.download.appendix")}
        </label>
        <p>
          <a href={reportFile(runId, "zip", hasAppendix)} download="report.zip">
            {t("read.download.folder")}
          </a>
        </p>
        {hasArchive && (
          <p>
            <a href={runArchive(runId)} download={`${runId}.archive.zip`} data-large>
              {t("read.download.archive")}
            </a>
          </p>
        )}
        <p className="row">
          {t("read.download.references")}
          {(Object.keys(REFERENCES) as (keyof typeof REFERENCES)[]).map((format) => (
            <a
              key={format}
              href={reportFile(runId, format, true)}
              download={`report.${format === "csl" ? "csl.json" : format}`}
            >
              {REFERENCES[format]}
            </a>
          ))}
        </p>
      </div>
    </>
  );
}
