/** Reading: the report, what each sentence rests on, how it grew, what it cost, what to ask next. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { getRunOutputs, reportFile, type Json, type RunState } from "../api/client";
import { Loading, Notice } from "../parts/notices";
import { Readable } from "../parts/readable";
import type { RunLog } from "../run/run-log";
import { useWords } from "../strings";
import { Efforts } from "./efforts";
import { FollowUp } from "./follow-up";
import { Growth } from "./growth";
import { NotePanel } from "./note-panel";
import "./read.css";
import { useReport } from "./report-at";
import { ReportBody } from "./report-body";
import type { Mark } from "./report-document";
import { SourceList } from "./source-list";

const FORMATS = ["pdf", "docx", "md", "html"] as const;

export default function ReadView({ state, log }: { state: RunState; log: RunLog }) {
  const { t } = useWords();
  const [moment, setMoment] = useState<number | null>(null);
  const [note, setNote] = useState<number | null>(null);
  const hasEnded = state.ended_at !== null;
  const patch = moment === null ? undefined : log.patches[moment];
  // A report that has settled is read whole; one that grows, as the newest change left it.
  const newest = hasEnded ? 0 : log.patches.at(-1)?.seq;
  const before = moment === null ? undefined : log.patches[moment - 1]?.seq;
  const report = useReport(state.run_id, patch?.seq ?? newest, before);
  const outputs = useQuery({
    queryKey: ["outputs", state.run_id],
    queryFn: () => getRunOutputs(state.run_id),
    enabled: hasEnded,
    staleTime: Infinity,
  });
  const summary = hasEnded ? findSummary(outputs.data?.outputs ?? {}) : "";
  const document = report.document;
  if (!document && report.error) return <WithoutReport state={state} outputs={outputs.data?.outputs ?? {}} />;
  if (!document) return <Loading />;
  const shown = note === null ? undefined : document.notes.get(note);
  return (
    <div className="read" data-noted={shown ? true : undefined}>
      <nav className="contents" aria-label={t("read.contents")}>
        <ol>
          {document.headings.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ol>
      </nav>
      <div className="reading">
        {!hasEnded && <Notice>{t("read.draft")}</Notice>}
        {summary && moment === null && (
          <section className="summary" aria-labelledby="summary">
            <h2 id="summary">{t("read.summary")}</h2>
            <p>{summary}</p>
          </section>
        )}
        <ReportBody
          runId={state.run_id}
          document={document}
          before={moment === null ? null : report.before}
          shownNote={note}
          onNote={(number) => setNote(number === note ? null : number)}
        />
        {log.patches.length > 1 && <Growth patches={log.patches} moment={moment} onMoment={setMoment} />}
        {hasEnded && <FollowUp state={state} />}
      </div>
      <aside className="beside">
        {shown ? (
          <NotePanel key={shown.number} runId={state.run_id} note={shown} onNote={setNote} onClose={() => setNote(null)} />
        ) : (
          <>
            <section aria-labelledby="download">
              <h2 id="download">{t("read.download")}</h2>
              <p className="formats">
                {FORMATS.map((format) => (
                  <a key={format} href={reportFile(state.run_id, format)} download={`report.${format}`}>
                    {format.toUpperCase()}
                  </a>
                ))}
              </p>
            </section>
            {document.marks.size > 0 && <Legend marks={[...document.marks]} />}
            {state.warnings.length > 0 && (
              <section aria-labelledby="warnings">
                <h2 id="warnings">{t("read.warnings")}</h2>
                <Readable value={state.warnings} />
              </section>
            )}
            {outputs.data?.effort && <Efforts state={state} effort={outputs.data.effort} />}
            <SourceList runId={state.run_id} hasEnded={hasEnded} />
          </>
        )}
      </aside>
    </div>
  );
}

function Legend({ marks }: { marks: Mark[] }) {
  const { t } = useWords();
  return (
    <section className="legend" aria-labelledby="legend">
      <h2 id="legend">{t("read.legend")}</h2>
      <ul>
        {marks.map((mark) => (
          <li key={mark}>
            <span className="claim" data-mark={mark}>
              {t("read.legend.sample")}
            </span>
            {t(`read.legend.${mark}`)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A run that makes no report shows what it made. */
function WithoutReport({ state, outputs }: { state: RunState; outputs: Record<string, Json> }) {
  const { t } = useWords();
  const failures = state.phases.filter((phase) => phase.error);
  const last = Object.values(outputs).at(-1);
  return (
    <div className="read-none">
      <h2>{t("read.missing")}</h2>
      <p>{t("read.missing.why")}</p>
      {failures.map(({ id, title, error }) => (
        <div className="notice" data-kind="error" key={id}>
          <p>
            <b>{title}</b> {error?.message}
          </p>
        </div>
      ))}
      {last && <Readable value={last} />}
      <FollowUp state={state} />
    </div>
  );
}

function findSummary(outputs: Record<string, Json>): string {
  const found = Object.values(outputs).findLast((output) => output["summary"]);
  return String((found?.["summary"] as Json | undefined)?.["text"] ?? "");
}
