/** Differences of two lists, or of two texts by their words. */

import { pick } from "../pick";

export interface Piece<T> {
  kind: "same" | "added" | "removed";
  value: T;
}

/** Return one list made into the other: what stays, in its order, between what goes and what comes. */
export function diffLists<T>(before: T[], after: T[]): Piece<T>[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      pick(lengths, i)[j] =
        before[i] === after[j]
          ? pick(pick(lengths, i + 1), j + 1) + 1
          : Math.max(pick(pick(lengths, i + 1), j), pick(pick(lengths, i), j + 1));
    }
  }
  const pieces: Piece<T>[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      pieces.push({ kind: "same", value: pick(after, j) });
      i++;
      j++;
    } else if (
      j >= after.length ||
      (i < before.length && pick(pick(lengths, i + 1), j) >= pick(pick(lengths, i), j + 1))
    ) {
      pieces.push({ kind: "removed", value: pick(before, i++) });
    } else {
      pieces.push({ kind: "added", value: pick(after, j++) });
    }
  }
  return pieces;
}

export const diffWords = (before: string, after: string): Piece<string>[] =>
  diffLists(before.split(/(?<=\s)/), after.split(/(?<=\s)/));
