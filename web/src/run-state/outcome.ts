/** How a run and its phases stand, and what it ends with: a report, findings without one, or its plan. */

import type { Checkpoint, PhaseView, RunState } from "../api/client";
import type { Status } from "../parts/lamp";

/** What phases of these kinds give stands elsewhere on the page: questions, plan and decisions. */
const SHOWN_ELSEWHERE = ["recall", "clarification", "planning", "hitl_checkpoint"];
/** Phases of these write no report, unless along the way; what provides one, `writesReport` of Compose reads. */
const FINDS = [...SHOWN_ELSEWHERE, "retrieval", "research", "analysis", "review", "summary"];

export const isFound = ({ kind }: PhaseView) => FINDS.includes(kind);

export const isShownElsewhere = ({ kind }: PhaseView) => SHOWN_ELSEWHERE.includes(kind);

/** Tell whether a plan is all that a run has made, and was to make. */
export const endsWithPlan = ({ plan, status, phases }: RunState) =>
  status === "completed" && plan !== null && phases.every(isShownElsewhere);

/** The notice of an operator's pause in Temporal, which nobody on the page can end. */
export const findOperatorPause = ({ notices }: RunState) =>
  notices?.find(({ code }) => code === "run-paused-by-operator");

/** How a phase stands to a human: a running one of a paused run is paused, a checkpoint answered by no was rejected. */
export function standingOf({ id, status }: PhaseView, { status: run, decisions }: RunState): Status {
  if (run === "paused" && status === "running") return "paused";
  return run === "rejected" && decisions.at(-1)?.phase_id === id ? "rejected" : status;
}

/** What was sent here to a checkpoint, until it is refused or has made the checkpoint ask anew. */
export interface Sent {
  checkpoint: Checkpoint;
  /** A changed plan: one that became dearer is asked about once more. */
  isChange: boolean;
}
