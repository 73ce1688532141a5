/** Edits of a definition's phases; each returns new phases and changes none in place. */

import {
  findFree,
  findNeeds,
  isSame,
  readBind,
  readConfig,
  readId,
  readText,
  type DraftPhase,
  type Kinds,
} from "./draft";
import { pick } from "../../parts/pick";

/** A place in the graph: after a phase, or first, and before the phases that will follow it. */
export interface Spot {
  after: string | null;
  before: string[];
}

/** Return the ids that each phase comes after; what is left out means the one before it in the list. */
export function findPredecessors(phases: DraftPhase[]): string[][] {
  return phases.map(({ after }, n) => {
    if (Array.isArray(after)) return after.filter((id): id is string => typeof id === "string");
    return n > 0 ? [readId(pick(phases, n - 1))] : [];
  });
}

/** Return the ids of all phases that come before one, directly or not; its own too where they form a cycle. */
export function findAncestors(phases: DraftPhase[], index: number): Set<string> {
  const known = findPredecessors(phases);
  return collect(readId(pick(phases, index)), new Map(phases.map((phase, n) => [readId(phase), pick(known, n)])));
}

/** Return the ids of all phases that come after one, directly or not. */
export function findDescendants(phases: DraftPhase[], index: number): Set<string> {
  const next = new Map<string, string[]>();
  findPredecessors(phases).forEach((ids, n) => {
    for (const id of ids) next.set(id, [...(next.get(id) ?? []), readId(pick(phases, n))]);
  });
  return collect(readId(pick(phases, index)), next);
}

function collect(start: string, steps: Map<string, string[]>): Set<string> {
  const found = new Set<string>();
  const open = [...(steps.get(start) ?? [])];
  while (open.length > 0) {
    const id = open.pop()!;
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(steps.get(id) ?? []));
  }
  return found;
}

/** Return the indices of the phases with which branches end: nothing that is switched on comes after them. */
export function findEnds(phases: DraftPhase[]): number[] {
  const isOn = (phase: DraftPhase) => phase["enabled"] !== false;
  const led = new Set(
    findPredecessors(phases)
      .filter((_, n) => isOn(pick(phases, n)))
      .flat(),
  );
  return phases.flatMap((phase, n) => (isOn(phase) && !led.has(readId(phase)) ? [n] : []));
}

/** Return the place for a phase in line after another; after the last one by default. */
export function findSpotBehind(phases: DraftPhase[], index: number | null): Spot {
  if (index === null) return { after: phases.length > 0 ? readId(pick(phases, -1)) : null, before: [] };
  const id = readId(pick(phases, index));
  const before = findPredecessors(phases);
  return { after: id, before: phases.filter((_, n) => pick(before, n).includes(id)).map(readId) };
}

/** Return where a phase goes that is put in line before another. */
export const findSpotBefore = (phases: DraftPhase[], index: number): Spot => ({
  after: pick(findPredecessors(phases), index)[0] ?? null,
  before: [readId(pick(phases, index))],
});

/** Where a phase is put by a press: before, after or beside the chosen one. */
export const SIDES = ["before", "behind", "beside"] as const;
export type Side = (typeof SIDES)[number];

/** Put a phase at a side of another: beside it, it comes after the same phases, and nothing comes after it yet. */
export function placeAt(phases: DraftPhase[], phase: DraftPhase, chosen: number | null, side: Side): DraftPhase[] {
  if (chosen === null || side === "behind") return place(phases, phase, findSpotBehind(phases, chosen));
  const known = findPredecessors(phases);
  const before = pick(known, chosen);
  if (side === "beside") return write([...phases, phase], [...known, before]);
  const led = known.with(chosen, [readId(phase)]);
  return write(phases.toSpliced(chosen, 0, phase), led.toSpliced(chosen, 0, before));
}

/** Between which phases one stands that is put there. */
export function findNeighbours(phases: DraftPhase[], chosen: number | null, side: Side) {
  const made = makePhase("", phases);
  const placed = placeAt(phases, made, chosen, side);
  const known = findPredecessors(placed);
  const after = pick(
    known,
    placed.findIndex((one) => readId(one) === readId(made)),
  );
  const isNext = (n: number) => pick(known, n).includes(readId(made));
  return {
    after: phases.filter((one) => after.includes(readId(one))),
    before: placed.filter((_, n) => isNext(n)),
  };
}

export function makePhase(kind: string, phases: DraftPhase[]): DraftPhase {
  const id = findFree(kind, new Set(phases.map(readId)));
  return id === kind ? { kind } : { kind, id };
}

export function place(phases: DraftPhase[], phase: DraftPhase, { after, before }: Spot): DraftPhase[] {
  const id = readId(phase);
  const known = findPredecessors(phases).map((ids, n) => {
    if (!before.includes(readId(pick(phases, n)))) return ids;
    return after === null ? [id, ...ids] : ids.map((one) => (one === after ? id : one));
  });
  const behind = phases.findIndex((one) => readId(one) === after);
  const at = before.length > 0 || after === null ? behind + 1 : phases.length;
  return write(phases.toSpliced(at, 0, phase), known.toSpliced(at, 0, after === null ? [] : [after]));
}

/** Take a phase out; what came after it then comes after what it came after. */
export function remove(phases: DraftPhase[], index: number): DraftPhase[] {
  const id = readId(pick(phases, index));
  const known = findPredecessors(phases);
  const bridged = known.map((ids) =>
    ids.flatMap((one) => (one === id ? pick(known, index) : [one])).filter((one, n, all) => all.indexOf(one) === n),
  );
  const left = phases.map((phase) => {
    const bind = Object.entries(readBind(phase)).filter(([, name]) => name !== id);
    return "bind" in phase ? withField(phase, "bind", bind.length > 0 ? Object.fromEntries(bind) : undefined) : phase;
  });
  return write(left.toSpliced(index, 1), bridged.toSpliced(index, 1));
}

export function move(phases: DraftPhase[], index: number, spot: Spot): DraftPhase[] {
  const phase = pick(phases, index);
  const id = readId(phase);
  if (spot.after === id || spot.before.includes(id)) return phases; // it is there
  const { after: _, ...free } = phase;
  return place(remove(phases, index), free, spot);
}

/** Move a phase up or down its line: before its predecessor, or after its successor. */
export function shift(phases: DraftPhase[], index: number, by: -1 | 1): DraftPhase[] {
  const spot = findShift(phases, index, by);
  return spot ? move(phases, index, spot) : phases;
}

export function findShift(phases: DraftPhase[], index: number, by: -1 | 1): Spot | null {
  const id = readId(pick(phases, index));
  const before = findPredecessors(phases);
  if (by === -1) {
    const at = phases.findIndex((phase) => readId(phase) === pick(before, index)[0]);
    return at < 0 ? null : findSpotBefore(phases, at);
  }
  const next = phases.find((_, n) => pick(before, n).includes(id));
  if (!next) return null;
  const behind = findSpotBehind(phases, phases.indexOf(next));
  return { ...behind, before: behind.before.filter((one) => one !== id) };
}

export const connect = (phases: DraftPhase[], from: string, to: number): DraftPhase[] =>
  setPredecessors(phases, to, [...new Set([...pick(findPredecessors(phases), to), from])]);

/** Branches that lead nowhere, brought together in one phase. */
export interface Join {
  /** The phase that reads them all. */
  meeting: DraftPhase;
  isNew: boolean;
  phases: DraftPhase[];
}

/**
 * Bring branches that lead nowhere together: in the phase on one of them that writes the report from what the others
 * give, else in a new phase after all of them. One branch never comes after another that it does not read.
 */
export function findJoin(phases: DraftPhase[], kinds: Kinds): Join | null {
  const ends = findEnds(phases);
  if (ends.length < 2) return null;
  const ids = phases.map(readId);
  const above = phases.map((_, n) => findAncestors(phases, n));
  const isTrunk = (n: number) => ends.every((end) => end === n || pick(above, end).has(pick(ids, n)));
  const branches = ends.map((end) => {
    const own = [...phases.keys()].filter((n) => !isTrunk(n) && (n === end || pick(above, end).has(pick(ids, n))));
    const given = new Set(own.flatMap((n) => kinds.get(readText(pick(phases, n)["kind"]))?.provides ?? []));
    return { end, own, given };
  });
  const onBranches = [...phases.keys()].filter((n) => !isTrunk(n) && pick(phases, n)["enabled"] !== false);
  const found = findGatherer(
    onBranches.map((n) => ({
      made: pick(phases, n),
      others: branches.filter(({ own }) => !own.includes(n)),
    })),
    kinds,
  );
  if (found) {
    const at = (all: DraftPhase[]) => all.findIndex((one) => readId(one) === readId(found.made));
    const joined = found.others.reduce((all, { end }) => connect(all, pick(ids, end), at(all)), phases);
    return { meeting: found.made, isNew: false, phases: joined };
  }
  const made = [...kinds.keys()].map((kind) => ({ made: makePhase(kind, phases), others: branches }));
  const added = findGatherer(made, kinds)?.made;
  if (!added) return null;
  const all = [...phases, { ...added, after: ends.map((end) => pick(ids, end)) }];
  return { meeting: added, isNew: true, phases: write(all, findPredecessors(all)) };
}

interface Gatherer {
  made: DraftPhase;
  /** The branches that it would be given in addition. */
  others: { end: number; given: Set<string> }[];
}

/** Return the phase that writes a report and reads most of what all other branches give; null if none reads of each. */
function findGatherer(candidates: Gatherer[], kinds: Kinds): Gatherer | null {
  const counted = candidates.map((one) => {
    const kind = kinds.get(readText(one.made["kind"]));
    if (!kind?.provides.includes("report")) return { one, n: 0 };
    const gathered = findNeeds(one.made, kind).needs.filter(({ many, anything }) => many || anything);
    const read = one.others.map(
      ({ given }) => gathered.filter(({ name, anything }) => anything || given.has(name)).length,
    );
    return { one, n: read.includes(0) ? 0 : read.reduce((sum, n) => sum + n, 0) };
  });
  const most = Math.max(0, ...counted.map(({ n }) => n));
  return most > 0 ? counted.find(({ n }) => n === most)!.one : null;
}

export const disconnect = (phases: DraftPhase[], from: string, to: number): DraftPhase[] =>
  setPredecessors(
    phases,
    to,
    pick(findPredecessors(phases), to).filter((id) => id !== from),
  );

const setPredecessors = (phases: DraftPhase[], index: number, ids: string[]): DraftPhase[] =>
  write(phases, findPredecessors(phases).with(index, ids));

/** Give a phase another id, everywhere it is named. */
export function rename(phases: DraftPhase[], index: number, id: string): DraftPhase[] {
  const old = readId(pick(phases, index));
  const known = findPredecessors(phases).map((ids) => ids.map((one) => (one === old ? id : one)));
  const renamed = phases.map((phase, n) => {
    if (n === index) return { ...phase, id };
    const bind = Object.entries(readBind(phase)).map(([need, name]) => [need, name === old ? id : name]);
    const { inputs } = readConfig(phase);
    const read: unknown = Array.isArray(inputs)
      ? (inputs as unknown[]).map((name) => renameInput(name, old, id))
      : inputs;
    const bound = bind.length > 0 ? { ...phase, bind: Object.fromEntries(bind) as Record<string, unknown> } : phase;
    return isSame(read, inputs) ? bound : { ...bound, config: { ...readConfig(phase), inputs: read } };
  });
  return write(renamed, known);
}

const renameInput = (name: unknown, old: string, id: string): unknown =>
  readText(name).startsWith(`${old}.`) ? id + readText(name).slice(old.length) : name;

/** Return a phase with a field set, or without it. */
export function withField(phase: DraftPhase, name: string, value: unknown): DraftPhase {
  const { [name]: _, ...others } = phase;
  return value === undefined ? others : { ...phase, [name]: value };
}

/** Return phases in an order in which they can run, that says no more of it than a reader needs. */
function write(phases: DraftPhase[], known: string[][]): DraftPhase[] {
  const order = sort(phases.map(readId), known);
  return order.map((n, at) => {
    const usual = at > 0 ? [readId(pick(phases, pick(order, at - 1)))] : [];
    return withField(pick(phases, n), "after", isSame(known[n], usual) ? undefined : known[n]);
  });
}

/** Return indices in topological order, and otherwise in the original order. */
function sort(ids: string[], known: string[][]): number[] {
  const done = new Set<number>();
  const visit = (n: number, path: Set<number>) => {
    if (done.has(n) || path.has(n)) return;
    for (const id of pick(known, n)) {
      const at = ids.indexOf(id);
      if (at >= 0) visit(at, new Set(path).add(n));
    }
    done.add(n);
  };
  ids.forEach((_, n) => visit(n, new Set()));
  return [...done];
}
