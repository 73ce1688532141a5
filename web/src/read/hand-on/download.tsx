/** A menu in the head to download the report in each format. */

import { useId, useState } from "react";

import { reportFile, runArchive } from "../../api/client";
import { useWords } from "../../strings";
import "./download.css";

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
  return (
    <>
      <button type="button" className="primary" popoverTarget={id}>
        {t("read.download")}
      </button>
      <div className="formats card" id={id} popover="auto">
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
            <a href={runArchive(runId)} download={`${runId}.archive.zip`}>
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
