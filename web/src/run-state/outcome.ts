/** Status of a run and its phases, and its result: a report, findings without one, or its plan. */

import type { Checkpoint, PhaseView, RunState } from "../api/client";
import type { Status } from "../parts/lamp";

/** Kinds whose outputs are shown elsewhere on the page: questions, plan and decisions. */
const SHOWN_ELSEWHERE = ["recall", "clarification", "planning", "hitl_checkpoint"];
/** Phases of these write no report, unless along the way; what provides one, `writesReport` of Compose reads. */
const FINDS = [...SHOWN_ELSEWHERE, "retrieval", "research", "analysis", "review", "summary"];

const ENDED = ["completed", "partial", "failed", "cancelled", "rejected"];

export const hasRunEnded = ({ status }: Pick<RunState, "status">) => ENDED.includes(status);

export const isFound = ({ kind }: PhaseView) => FINDS.includes(kind);

export const isShownElsewhere = ({ kind }: PhaseView) => SHOWN_ELSEWHERE.includes(kind);

/** Whether a plan is the run's only intended result. */
export const endsWithPlan = ({ plan, status, phases }: RunState) =>
  status === "completed" && plan !== null && phases.every(isShownElsewhere);

/** Whether it searched and ended with a report that cites no page. */
export const hasFoundNothing = ({ results, status }: RunState) =>
  (status === "completed" || status === "partial") && results.cited === 0;

/** The notice of an operator's pause in Temporal, which nobody on the page can end. */
export const findOperatorPause = ({ notices }: RunState) =>
  notices?.find(({ code }) => code === "run-paused-by-operator");

/** A phase's status for readers: a running phase of a paused run is paused, a rejected checkpoint is rejected. */
export function standingOf({ id, status }: PhaseView, { status: run, decisions }: RunState): Status {
  if (run === "paused" && status === "running") return "paused";
  return run === "rejected" && decisions.at(-1)?.phase_id === id ? "rejected" : status;
}

/** The input sent here to a checkpoint, until it is refused or the checkpoint asks again. */
export interface Sent {
  checkpoint: Checkpoint;
  /** A changed plan: if it became more expensive, its approval is asked again. */
  isChange: boolean;
}
