/** A held decision as the browser keeps it, until the server has it: one that is killed loses nothing. */

import { Problem, type Decide } from "../api/client";
import { KEPT_DECISION, listKeptDecisions } from "../parts/hooks/draft";
import type { Held } from "../run-state/undoable-decision";

/** A decision that was made and is not sent yet. */
export interface Kept {
  runId: string;
  query: string;
  decision: Decide;
  /** When it was made, in milliseconds since the epoch. */
  at: number;
}

export function keepDecision({ runId, query, decision }: Pick<Held, "runId" | "query" | "decision">, at = Date.now()) {
  const kept: Kept = { runId, query, decision, at };
  try {
    localStorage.setItem(placeOf(decision.checkpoint_id), JSON.stringify(kept));
  } catch {
    // a browser may keep nothing: then a killed one loses it
  }
}

/** Return the decisions that no gateway has confirmed. */
export const listKept = (): Kept[] =>
  listKeptDecisions().flatMap((place) => {
    const text = localStorage.getItem(place);
    return text === null ? [] : [JSON.parse(text) as Kept];
  });

/** Forget a decision that was delivered, undone, or refused for good. */
export const forgetDecision = (checkpointId: string | null | undefined) => {
  if (listKeptDecisions().length > 0) localStorage.removeItem(placeOf(checkpointId));
};

const placeOf = (checkpointId: string | null | undefined) => `${KEPT_DECISION}${checkpointId ?? ""}`;

/** Refusals that pass: a session that has ended, a request that took too long, too many at once. */
const PASSING = [401, 408, 429];

/** Whether a decision that failed may arrive later: nobody answered, or what refused it passes. */
export const mayArrive = (error: unknown) =>
  !(error instanceof Problem) || error.status >= 500 || error.status < 400 || PASSING.includes(error.status);
