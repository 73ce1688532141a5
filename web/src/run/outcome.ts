/** What a run ends with: a report, findings without one, or its plan. */

import type { PhaseView, RunState } from "../api/client";

/** What phases of these kinds give stands elsewhere on the page: questions, plan and decisions. */
const SHOWN_ELSEWHERE = ["recall", "clarification", "planning", "hitl_checkpoint"];
/** Phases of these write no report, unless along the way; what provides one, `writesReport` of Compose reads. */
const FINDS = [...SHOWN_ELSEWHERE, "retrieval", "research", "analysis", "review", "summary"];

export const isFound = ({ kind }: PhaseView) => FINDS.includes(kind);

export const isShownElsewhere = ({ kind }: PhaseView) => SHOWN_ELSEWHERE.includes(kind);

/** Tell whether a plan is all that a run has made, and was to make. */
export const endsWithPlan = ({ plan, status, phases }: RunState) =>
  status === "completed" && plan !== null && phases.every(isShownElsewhere);
