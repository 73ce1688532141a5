/** A run's report: as it grows, beside what happens; once the run has ended, in the same place with the same note open. */

import { useState, type ReactNode } from "react";

import type { RunState } from "../api/client";
import { useMedia } from "../parts/hooks/media";
import ReadView from "../read/read-view";
import type { RunLog } from "../run-state/run-log";
import { useWords } from "../strings";
import { Feed } from "./feed";
import { DraftNotice, NewestChange, Outline, Writing } from "./report-in-progress";
import { NowLine } from "./now-line";
import { Pages } from "./pages";
import { Phases } from "./phases";
import "./work.css";

interface Given {
  state: RunState;
  log: RunLog;
  /** The kind of research, and when it began. */
  about: ReactNode;
  onDetails: (isOpen: boolean) => void;
}

export default function ReportPage({ state, log, about, onDetails }: Given) {
  const { t } = useWords();
  const [phase, setPhase] = useState<string | null>(null);
  const isWide = useMedia("(min-width: 56rem)");
  const isGrowing = state.ended_at === null;
  const given = { state, log };
  return (
    <div
      className={isGrowing ? "work watched stack" : undefined}
      data-paused={(isGrowing && state.status === "paused") || undefined}
    >
      {isGrowing && <NowLine {...given} />}
      <ReadView
        {...given}
        growing={
          isGrowing
            ? {
                outline: <Outline state={state} />,
                above: <DraftNotice {...given} />,
                below: (report) => (
                  <>
                    <Writing {...given} />
                    <NewestChange {...report} />
                  </>
                ),
                rail: (
                  <details className="happened" open={isWide}>
                    <summary>{t("work.feed")}</summary>
                    <Feed {...given} phase={phase} onAll={() => setPhase(null)} />
                  </details>
                ),
              }
            : null
        }
      />
      {isGrowing && (
        <details className="behind ruled" onToggle={(event) => onDetails(event.currentTarget.open)}>
          <summary>{t("run.details")}</summary>
          <div className="stack">
            {about}
            <Phases {...given} chosen={phase} onChoose={setPhase} />
            <Pages pages={log.pages} />
          </div>
        </details>
      )}
    </div>
  );
}
