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

/** Whether a run wrote a report; otherwise the outputs of its phases are shown. */
export const isWhole = (state: RunState, log: RunLog) => log.patches.length > 0 || Boolean(state.results.report);

/** Whether phases have outputs to show instead of a report; undefined while unknown. */
export const hasGiven = (state: RunState, outputs: ReturnType<typeof useOutputs>["data"]) =>
  outputs && state.phases.some((phase) => outputs.outputs?.[phase.id] && !isShownElsewhere(phase));
