/** A held decision as the browser keeps it, until the server has it: one that is killed loses nothing. */

import { Problem, type Decide } from "../api/client";
import type { Held } from "../run-state/undoable-decision-context";

/** Where decisions are kept until the gateway has them, by run and checkpoint; they go as other drafts do when somebody else enters. */
const KEPT_DECISION = "greenlight.draft.decision.";

/** The places of the decisions that this browser keeps. */
export function listKeptDecisions(): string[] {
  try {
    return Object.keys(localStorage).filter((place) => place.startsWith(KEPT_DECISION));
  } catch {
    return []; // a browser may keep nothing
  }
}

/** A decision that was made and is not sent yet. */
export interface Kept {
  runId: string;
  query: string;
  decision: Decide;
  /** When it was made, in milliseconds since the epoch. */
  at: number;
}

type Made = Pick<Kept, "runId" | "decision">;

export function keepDecision({ runId, query, decision }: Pick<Held, "runId" | "query" | "decision">, at = Date.now()) {
  const kept: Kept = { runId, query, decision, at };
  try {
    localStorage.setItem(placeOf(kept), JSON.stringify(kept));
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

export const isKept = (made: Made) => listKeptDecisions().includes(placeOf(made));

/** Forget a decision that was delivered, undone, discarded, or refused for good. */
export const forgetDecision = (made: Made) => {
  if (listKeptDecisions().length > 0) localStorage.removeItem(placeOf(made));
};

/** Return where a decision is kept: a checkpoint's id is unique in its run only. */
export const placeOf = ({ runId, decision }: Made) => `${KEPT_DECISION}${runId}.${decision.checkpoint_id ?? ""}`;

/** Refusals that pass: a session that has ended, a request that took too long, too many at once. */
const PASSING = [401, 408, 429];

/** Whether a decision that failed may arrive later: nobody answered, or what refused it passes. */
export const mayArrive = (error: unknown) =>
  !(error instanceof Problem) || error.status >= 500 || error.status < 400 || PASSING.includes(error.status);
