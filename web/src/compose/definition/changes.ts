/** How two definitions differ, by what a reader would look for: a phase, and what of it. */

import { isSame, readConfig, readId, type Draft, type DraftPhase } from "./draft";
import { findPredecessors } from "./edits";
import { pick } from "../../parts/pick";

export interface Change {
  /** The id of a phase; empty: the definition itself. */
  phase: string;
  field: string;
  before: unknown;
  after: unknown;
}

type Fields = Record<string, unknown>;

/** Return what differs, phase by phase; one that came or went is a change of the field "". */
export function findChanges(before: Draft, after: Draft): Change[] {
  const [old, now] = [readParts(before), readParts(after)];
  const found: Change[] = [];
  for (const phase of new Set([...old.keys(), ...now.keys()])) {
    const [a, b] = [old.get(phase), now.get(phase)];
    if (!a || !b) {
      found.push({ phase, field: "", before: a && phase, after: b && phase });
      continue;
    }
    for (const field of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (!isSame(a[field] ?? null, b[field] ?? null)) found.push({ phase, field, before: a[field], after: b[field] });
    }
  }
  return found;
}

function readParts(definition: Draft): Map<string, Fields> {
  const { phases, id: _, ...about } = definition;
  const before = findPredecessors(phases);
  const flat = (phase: DraftPhase, n: number): [string, Fields] => {
    const { config: _, id: __, after: ___, ...fields } = phase;
    return [readId(phase), { after: pick(before, n), ...fields, ...readConfig(phase) }];
  };
  return new Map([["", about], ...phases.map(flat)]);
}
