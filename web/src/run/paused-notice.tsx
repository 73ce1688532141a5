/** Says that a run is paused, who can resume it, and what can be done until then. */

import type { RunState } from "../api/client";
import { Notice } from "../parts/notices";
import { findOperatorPause } from "../run-state/outcome";
import { useWords } from "../strings";

export function PausedNotice({ state }: { state: RunState }) {
  const { t, say } = useWords();
  if (state.status !== "paused") return null;
  const held = findOperatorPause(state);
  return (
    <Notice kind="wait">{held ? say(held) : t(state.pending.length > 0 ? "run.paused.asks" : "run.paused")}</Notice>
  );
}
