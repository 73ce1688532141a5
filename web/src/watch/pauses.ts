import type { Stretch } from "../run-state/run-log";

/** Return the parts of pauses that lie within a stay, each from a moment to another; what lasts, until now. */
export function findPauses(stay: Stretch, pauses: Stretch[], now: number): [from: number, to: number][] {
  const [begin, end] = toMoments(stay, now);
  return pauses
    .map((pause) => toMoments(pause, now))
    .map(([from, to]): [number, number] => [Math.max(from, begin), Math.min(to, end)])
    .filter(([from, to]) => from < to);
}

/** Return for how many seconds a stay lasted, without the pauses in it. */
export function measureSeconds(stay: Stretch, pauses: Stretch[], now: number): number {
  const [begin, end] = toMoments(stay, now);
  return findPauses(stay, pauses, now).reduce((sum, [from, to]) => sum - (to - from), end - begin) / 1000;
}

const toMoments = ({ from, to }: Stretch, now: number): [number, number] => [
  Date.parse(from),
  to ? Date.parse(to) : now,
];
