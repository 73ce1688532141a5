import { useEffect, useMemo, useRef } from "react";

import type { Definition, RunState } from "../api/client";
import { useDefinition } from "../parts/hooks/definition";
import { Lamp } from "../parts/lamp";
import { findOrder, type Order } from "../parts/phases/phase-order";
import { pick } from "../parts/pick";
import { standingOf } from "../run-state/outcome";
import { findPhasesBefore } from "../run-state/phases-before";
import { useWords } from "../strings";

interface Given {
  state: RunState;
  /** The newest version of the definition, until that of the run is known. */
  newest: Definition | undefined;
}

/** The way of a run, phase by phase, and where it is on it; branches stand below each other. */
export function PhaseStrip({ state, newest }: Given) {
  const { t } = useWords();
  const strip = useRef<HTMLOListElement>(null);
  const definition = useDefinition(state) ?? newest;
  const { phases } = state;
  const order = useMemo(
    () =>
      findOrder(
        phases.map(({ id }) => id),
        findPhasesBefore(phases, definition),
      ),
    [phases, definition],
  );
  useEffect(() => {
    const [box, here] = [strip.current!, strip.current!.querySelector<HTMLElement>("[aria-current]")];
    if (here) box.scrollLeft = here.offsetLeft - (box.clientWidth - here.offsetWidth) / 2;
  }, [phases]);
  return (
    <ol className="strip shaded" ref={strip} tabIndex={0} aria-label={t("run.phases")}>
      <Stages order={order} state={state} />
    </ol>
  );
}

function Stages({ order, state }: { order: Order; state: RunState }) {
  const { t } = useWords();
  return order.map((stage, n) => {
    if (typeof stage !== "number") {
      return (
        <li key={n} className="branches">
          <ul className="plain">
            {stage.map((branch, k) => (
              <li key={k}>
                <ol className="branch">
                  <Stages order={branch} state={state} />
                </ol>
              </li>
            ))}
          </ul>
        </li>
      );
    }
    const phase = pick(state.phases, stage);
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
  });
}
