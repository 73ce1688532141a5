/** A held decision as the browser keeps it, until the server has it: one that is killed loses nothing. */

import type { Decide } from "../api/client";
import { KEPT_DECISION } from "../parts/hooks/draft";
import type { Held } from "../run-state/undoable-decision";

/** A decision that was made and is not sent yet. */
export interface Kept {
  runId: string;
  query: string;
  decision: Decide;
  /** When it was made, in milliseconds since the epoch. */
  at: number;
}

export function keepDecision({ runId, query, decision }: Pick<Held, "runId" | "query" | "decision">) {
  const kept: Kept = { runId, query, decision, at: Date.now() };
  try {
    localStorage.setItem(KEPT_DECISION, JSON.stringify(kept));
  } catch {
    // a browser may keep nothing: then a killed one loses it
  }
}

export function readKept(): Kept | null {
  try {
    const text = localStorage.getItem(KEPT_DECISION);
    return text === null ? null : (JSON.parse(text) as Kept);
  } catch {
    return null;
  }
}

/** Forget the stored decision of a checkpoint, unless another tab has replaced it since. */
export function forgetDecision(checkpointId: string | null | undefined) {
  if (readKept()?.decision.checkpoint_id === checkpointId) localStorage.removeItem(KEPT_DECISION);
}
