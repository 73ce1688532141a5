import { findOrder, tellOrder } from "../../parts/phases/phase-order";
import { readId, type DraftPhase } from "./draft";
import { findPredecessors } from "./edits";

/** Return the phases of a definition in a line, those that run side by side in brackets. */
export const tellPhases = (phases: DraftPhase[], nameOf: (phase: DraftPhase) => string): string =>
  tellOrder(findOrder(phases.map(readId), findPredecessors(phases)), phases.map(nameOf));
