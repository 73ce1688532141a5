import { useEffect, useRef } from "react";

import type { RunState } from "../api/client";
import { Lamp } from "../parts/lamp";
import { standingOf } from "../run-state/outcome";
import { useWords } from "../strings";

/** The way of a run, phase by phase, and where it is on it. */
export function PhaseStrip({ state }: { state: RunState }) {
  const { t } = useWords();
  const strip = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const [box, here] = [strip.current!, strip.current!.querySelector<HTMLElement>("[aria-current]")];
    if (here) box.scrollLeft = here.offsetLeft - (box.clientWidth - here.offsetWidth) / 2;
  }, [state.phases]);
  return (
    <ol className="strip shaded" ref={strip} tabIndex={0} aria-label={t("run.phases")}>
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
