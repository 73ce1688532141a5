import { layOut } from "../../parts/graph-layout";
import { readId, readTitle, type DraftPhase, type Kinds } from "./draft";
import { findPredecessors } from "./edits";

/** Return the phases of a definition in a line, those that run side by side joined by commas. */
export function tellOrder(phases: DraftPhase[], kinds: Kinds): string {
  const rows: string[][] = [];
  layOut(phases.map(readId), findPredecessors(phases)).forEach(({ depth }, n) => {
    (rows[depth] ??= []).push(readTitle(phases[n]!, kinds));
  });
  return rows.map((row) => row.join(", ")).join(" → ");
}
