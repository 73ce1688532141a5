import type { Checkpoint, RunState } from "../api/client";
import type { Key } from "../strings";

export interface Reason {
  text: Key;
  /** Who decided it, if it is known. */
  by?: string;
}

/** The notice of a phase whose questions were left to it at their deadline. */
const UNANSWERED = "timed-out-answers";

/** Return why a checkpoint asks no more: it was answered or decided, or the run has ended; null: not known yet. */
export function findReason(
  { checkpoint_id, phase_id, kind }: Checkpoint,
  { decisions, answers, phases, status }: RunState,
  hasEnded: boolean,
): Reason | null {
  const decision = decisions.findLast((one) => one.checkpoint_id === checkpoint_id);
  if (decision?.default) {
    return { text: decision.choice === "continue" ? "run.elsewhere.opened" : "run.elsewhere.deadline" };
  }
  if (decision) return decision.by ? { text: "run.elsewhere.by", by: decision.by } : { text: "run.elsewhere.decision" };
  if (kind === "questions" && checkpoint_id in answers) {
    const phase = phases.find(({ id }) => id === phase_id);
    const isLate = phase?.notices?.some(({ code }) => code === UNANSWERED);
    return { text: isLate ? "run.elsewhere.late" : "run.elsewhere.questions" };
  }
  if (status === "cancelled") return { text: "run.elsewhere.cancelled" };
  return hasEnded ? { text: "run.elsewhere.ended" } : null;
}
