import { useEffect, useRef } from "react";

import type { PhaseView, RunState } from "../api/client";
import { Lamp, type Status } from "../parts/lamp";
import { useWords } from "../strings";

/** How a phase stands to a human: a running one of a paused run is paused, a checkpoint answered by no was rejected. */
export function standingOf({ id, status }: PhaseView, { status: run, decisions }: RunState): Status {
  if (run === "paused" && status === "running") return "paused";
  return run === "rejected" && decisions.at(-1)?.phase_id === id ? "rejected" : status;
}

/** The way of a run, phase by phase, and where it is on it. */
export function PhaseStrip({ state }: { state: RunState }) {
  const { t } = useWords();
  const strip = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const [box, here] = [strip.current!, strip.current!.querySelector<HTMLElement>("[aria-current]")];
    if (here) box.scrollLeft = here.offsetLeft - (box.clientWidth - here.offsetWidth) / 2;
  }, [state.phases]);
  return (
    <ol className="strip shaded" ref={strip} aria-label={t("run.phases")}>
      {state.phases.map((phase) => {
        const status = standingOf(phase, state);
        return (
          <li
            key={phase.id}
            data-status={status}
            aria-current={["running", "waiting", "paused"].includes(status) ? "step" : undefined}
          >
            <Lamp status={status} />
            {phase.title}
            <span className="unseen">: {t(status === "waiting" ? "status.phase.waiting" : `status.${status}`)}</span>
          </li>
        );
      })}
    </ol>
  );
}
