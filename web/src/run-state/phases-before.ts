import type { Definition, PhaseView } from "../api/client";
import { pick } from "../parts/pick";

/** Return the ids that each phase comes after; of a definition that is gone, the one before it. */
export function findPhasesBefore(phases: PhaseView[], definition: Definition | undefined): string[][] {
  return phases.map(({ id }, n) => {
    const said = definition?.phases.find((one) => one.id === id)?.after;
    return said ?? (n > 0 ? [pick(phases, n - 1).id] : []);
  });
}
