import { useQuery } from "@tanstack/react-query";

import { getRunOutputs, type RunState } from "../api/client";
import { isShownElsewhere } from "../run-state/outcome";
import type { RunLog } from "../run-state/run-log";

/** What the phases of a run that has ended gave. */
export const useOutputs = (state: RunState) =>
  useQuery({
    queryKey: ["outputs", state.run_id],
    queryFn: () => getRunOutputs(state.run_id),
    enabled: state.ended_at !== null,
    staleTime: Infinity,
  });

/** Tell whether a run wrote a report; else its report is what phases gave. */
export const isWhole = (state: RunState, log: RunLog) => log.patches.length > 0 || Boolean(state.results.report);

/** Tell whether phases gave what is shown in a report's place; undefined: it is not known yet. */
export const hasGiven = (state: RunState, outputs: ReturnType<typeof useOutputs>["data"]) =>
  outputs && state.phases.some((phase) => outputs.outputs?.[phase.id] && !isShownElsewhere(phase));
