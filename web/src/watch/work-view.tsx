/** The work as it goes on: phases, turns and tool calls, the report growing, pages arriving. */

import { useQuery } from "@tanstack/react-query";
import { memo, useEffect, useRef, useState } from "react";
import { Link } from "wouter";

import { getDefinition, getRun, isOnWeb, type RunState } from "../api/client";
import { MoreBelow } from "../parts/more-below";
import { useReport } from "../read/report/report-at";
import { ReportBody } from "../read/report/report-body";
import { isFound } from "../run-state/outcome";
import type { Patch, ReadPage, RunLog } from "../run-state/run-log";
import { useWords, type Key } from "../strings";
import { Feed } from "./feed";
import { PhaseGraph } from "./phase-graph";
import { Timeline } from "./timeline";
import "./work.css";

/** What is left in sight above the part that was just written. */
const ABOVE_PX = 60;

export default function WorkView({ state, log }: { state: RunState; log: RunLog }) {
  const { t } = useWords();
  const [phase, setPhase] = useState<string | null>(null);
  const run = useQuery({ queryKey: ["run", state.run_id], queryFn: () => getRun(state.run_id), staleTime: Infinity });
  const version = run.data?.definition_version;
  const definition = useQuery({
    queryKey: ["definition", state.definition_id, version],
    queryFn: () => getDefinition(state.definition_id, version),
    enabled: version !== undefined,
    staleTime: Infinity,
    retry: false, // one that was deleted is drawn as a sequence
  });
  const again: Key = state.decisions.some(({ action }) => action === "revise") ? "work.version" : "work.attempt";
  return (
    <div className="work stack" data-paused={state.status === "paused" || undefined}>
      <PhaseGraph
        state={state}
        definition={definition.data}
        pauses={log.pauses}
        again={again}
        chosen={phase}
        onChoose={setPhase}
      />
      <details className="when" open={state.phases.length < 12}>
        <summary>{t("work.timeline")}</summary>
        <Timeline
          spans={log.spans}
          pauses={log.pauses}
          phases={state.phases}
          hasEnded={state.ended_at !== null}
          again={again}
        />
      </details>
      <div className="work-columns">
        <Feed state={state} log={log} phase={phase} onAll={() => setPhase(null)} />
        <aside className="stack">
          <GrowingReport
            runId={state.run_id}
            patches={log.patches}
            hasEnded={state.ended_at !== null}
            isWritten={state.ended_at ? Boolean(state.results.report) : !state.phases.every(isFound)}
          />
          <Pages pages={log.pages} />
        </aside>
      </div>
    </div>
  );
}

interface Growth {
  runId: string;
  patches: Patch[];
  hasEnded: boolean;
  /** It has a report, or will have one: there is room for it from the start. */
  isWritten: boolean;
}

/** The report so far; what the newest change wrote is marked. */
const GrowingReport = memo(function GrowingReport({ runId, patches, hasEnded, isWritten }: Growth) {
  const { t } = useWords();
  const newest = patches.at(-1)?.seq ?? (hasEnded && isWritten ? 0 : undefined);
  const { document, before } = useReport(runId, newest, patches.at(-2)?.seq);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const written = box.current?.querySelector<HTMLElement>("[data-new]");
    if (box.current && written) box.current.scrollTop = written.offsetTop - ABOVE_PX;
  }, [document, before]);
  if (newest === undefined && !isWritten) return null;
  return (
    <section aria-labelledby="growing">
      <h2 id="growing">
        {t(hasEnded ? "run.report" : "work.report")}{" "}
        <small>
          <Link href={`/runs/${runId}/report`}>{t("work.report.open")}</Link>
        </small>
      </h2>
      <div className="growing card scrolls" ref={box} tabIndex={0} role="region" aria-labelledby="growing">
        {document && <ReportBody runId={runId} document={document} before={before} />}
        {newest === undefined && <p className="muted">{t("read.not-yet")}</p>}
        <MoreBelow />
      </div>
    </section>
  );
});

const Pages = memo(function Pages({ pages }: { pages: ReadPage[] }) {
  const { t, clock } = useWords();
  return (
    <section aria-labelledby="pages">
      <h2 id="pages">
        {t("work.pages")} <span className="muted">{pages.length}</span>
      </h2>
      {pages.length === 0 && <p className="muted">{t("work.pages.empty")}</p>}
      <ul className="pages stack" aria-live="polite">
        {pages.map((page) => (
          <li key={page.url}>
            <a href={isOnWeb(page.url) ? page.url : undefined} target="_blank" rel="noreferrer">
              {page.title}
            </a>
            <small>{[page.publisher, page.published, clock(page.at)].filter(Boolean).join(" · ")}</small>
          </li>
        ))}
      </ul>
    </section>
  );
});
