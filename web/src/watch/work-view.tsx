/** A run's work: while it goes on, its report as it grows and what happens now; once it has ended, what was done. */

import { memo, useState, type ReactNode } from "react";

import { isOnWeb, type RunState } from "../api/client";
import { useMedia } from "../parts/hooks/media";
import type { ReadPage, RunLog } from "../run-state/run-log";
import { useWords } from "../strings";
import { Feed } from "./feed";
import { GrowingReport } from "./growing-report";
import { NowLine } from "./now-line";
import { Phases } from "./phases";
import "./work.css";

interface Given {
  state: RunState;
  log: RunLog;
  /** The kind of research, when it began, and where Temporal shows it. */
  about: ReactNode;
}

export default function WorkView({ state, log, about }: Given) {
  const { t } = useWords();
  const [phase, setPhase] = useState<string | null>(null);
  const isWide = useMedia("(min-width: 56rem)");
  const feed = <Feed state={state} log={log} phase={phase} onAll={() => setPhase(null)} />;
  const phases = <Phases state={state} log={log} chosen={phase} onChoose={setPhase} />;
  const isPaused = state.status === "paused" || undefined;
  if (state.ended_at) {
    return (
      <div className="work stack">
        {phases}
        <div className="work-columns">
          {feed}
          <Pages pages={log.pages} />
        </div>
      </div>
    );
  }
  return (
    <div className="work watched stack" data-paused={isPaused}>
      <NowLine state={state} log={log} />
      <GrowingReport
        state={state}
        log={log}
        rail={
          <details className="happened" open={isWide}>
            <summary>{t("work.feed")}</summary>
            {feed}
          </details>
        }
      />
      <details className="behind ruled">
        <summary>{t("run.details")}</summary>
        <div className="stack">
          {about}
          {phases}
          <Pages pages={log.pages} />
        </div>
      </details>
    </div>
  );
}

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
