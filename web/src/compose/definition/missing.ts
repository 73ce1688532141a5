/** What the phases of a definition need and nothing before them gives, and the phases that give it. */

import type { Kind } from "../../api/client";
import { findNeeds, readId, readText, type DraftPhase, type Kinds } from "./draft";
import { findAncestors, findSpotBefore, findSpotBehind, makePhase, place } from "./edits";
import { pick } from "../../parts/pick";

/** The requirement of an approval before a phase with web access. */
const APPROVAL = "approval";
const PLAN = "plan";

/** Return what a phase needs and lacks; an approval is of a plan, and so comes last. */
export function findMissing(phases: DraftPhase[], index: number, kinds: Kinds): string[] {
  const kind = kindOf(pick(phases, index), kinds);
  if (!kind) return [];
  const isGiven = (value: string) => findGivers(phases, index, value, kinds).length > 0;
  const { needs, web } = findNeeds(pick(phases, index), kind);
  const needed = needs.filter(({ required, anything }) => required && !anything).map(({ name }) => name);
  const missing = needed.filter((name) => !name.includes(".") && !isGiven(name));
  return missing.length > 0 || !web || isGiven(APPROVAL) ? missing : [APPROVAL];
}

/** Return the kinds that give one of some values. */
export const findKinds = (values: string[], kinds: Kinds): Kind[] =>
  [...kinds.values()].filter(({ provides }) => values.some((value) => provides.includes(value)));

/** Add the missing phases, each of the first kind that provides the needed value, and an approval after the plan. */
export function addMissing(phases: DraftPhase[], kinds: Kinds): DraftPhase[] {
  let written = phases;
  for (let added = 0; added < MOST_ADDED; added++) {
    const index = written.findIndex(
      (phase, n) => phase["enabled"] !== false && findGiver(written, n, kinds) !== undefined,
    );
    if (index < 0) break;
    const made = makePhase(findGiver(written, index, kinds)!.kind, written);
    written = place(written, made, findSpot(written, index, kinds));
  }
  return written;
}

/** What one press adds at most. */
const MOST_ADDED = 20;

const findGiver = (phases: DraftPhase[], index: number, kinds: Kinds) =>
  findKinds(findMissing(phases, index, kinds).slice(0, 1), kinds)[0];

function findSpot(phases: DraftPhase[], index: number, kinds: Kinds) {
  const [value] = findMissing(phases, index, kinds);
  const planner = value === APPROVAL ? findGivers(phases, index, PLAN, kinds).at(-1) : undefined;
  return planner === undefined ? findSpotBefore(phases, index) : findSpotBehind(phases, planner);
}

/** Return the indices of the phases before one that give a value. */
function findGivers(phases: DraftPhase[], index: number, value: string, kinds: Kinds): number[] {
  const before = findAncestors(phases, index);
  return phases.flatMap((one, n) =>
    before.has(readId(one)) && kindOf(one, kinds)?.provides.includes(value) ? [n] : [],
  );
}

const kindOf = (phase: DraftPhase, kinds: Kinds) => kinds.get(readText(phase["kind"]));
