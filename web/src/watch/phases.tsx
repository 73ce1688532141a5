import { useQuery } from "@tanstack/react-query";

import { getMetadata, type RunState } from "../api/client";
import { useDefinition } from "../parts/hooks/definition";
import type { RunLog } from "../run-state/run-log";
import { useWords, type Key } from "../strings";
import { PhaseGraph } from "./phase-graph";
import { Timeline } from "./timeline";

interface Given {
  state: RunState;
  log: RunLog;
  /** The phase shown in the feed; null: all phases. */
  chosen: string | null;
  onChoose: (phase: string | null) => void;
}

/** The phases of a run, how they follow from each other, and what ran when. */
export function Phases({ state, log, chosen, onChoose }: Given) {
  const { t } = useWords();
  const definition = useDefinition(state); // without one, the phases are drawn as a sequence
  const again: Key = state.decisions.some(({ action }) => action === "revise") ? "work.version" : "work.attempt";
  return (
    <>
      <PhaseGraph
        state={state}
        definition={definition}
        pauses={log.pauses}
        again={again}
        chosen={chosen}
        onChoose={onChoose}
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
        <TemporalLink id={state.run_id} />
      </details>
    </>
  );
}

/** The way to the run's log in Temporal, for those who operate it. */
function TemporalLink({ id }: { id: string }) {
  const { t } = useWords();
  const ui = useQuery({ queryKey: ["metadata"], queryFn: getMetadata, staleTime: Infinity }).data?.temporal_ui;
  return ui ? (
    <p>
      <a href={`${ui}/workflows/${id}`} target="_blank" rel="noreferrer">
        {t("run.temporal")}
      </a>
    </p>
  ) : null;
}
