/** What is written and not saved yet, kept in this browser: every tab sees the same, and a closed one is taken up again. */

import { useEffect, useEffectEvent, useRef, useState } from "react";

interface Stored<T> {
  /** When it was written, in ISO 8601. */
  at: string;
  /** Names what is written here; what it was written `after` is what its tab had before its eyes. */
  id: string;
  after: string | null;
  value: T;
}

/** Return the place of a user's draft: of a definition, or of a new one that begins `from` another. */
export const nameShared = (user: string, id: string, from = "") =>
  `greenlight.definition/${user}/${id || `?from=${from}`}`;

function read<T>(place: string): Stored<T> | null {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "null") as Stored<T> | null;
  } catch {
    return null; // a browser may keep nothing
  }
}

export const hasShared = (place: string) => read(place) !== null;

/** Return a draft; null for a draft in another page version's format. */
function readWhole<T>(place: string, isWhole: (value: unknown) => value is T): Stored<T> | null {
  const found = read<unknown>(place);
  return found && isWhole(found.value) ? { ...found, value: found.value } : null;
}

/** Store a draft and return its id; null removes it. */
export function keepShared(place: string, value: unknown, after: string | null = null): string | null {
  const id = value === null ? null : crypto.randomUUID();
  try {
    if (id === null) localStorage.removeItem(place);
    else localStorage.setItem(place, JSON.stringify({ at: new Date().toISOString(), id, after, value }));
  } catch {
    // more than a browser keeps: it holds until the tab is closed
  }
  return id;
}

interface Given<T> {
  place: string;
  /** What there is without a draft. */
  initial: T;
  isWhole: (value: unknown) => value is T;
  isWorthKeeping: (value: T) => boolean;
  /** Another tab has written; what stood here until then is handed over. */
  onTaken: (before: T) => void;
}

/**
 * A draft that the tabs of a browser share: what was written last, wherever, is what all of them show. What a tab
 * had written when another, which had not seen it yet, wrote over it is `lost` there until it is let go of.
 */
export function useSharedDraft<T>({ place, initial, isWhole, isWorthKeeping, onTaken }: Given<T>) {
  const [held, hold] = useState(() => {
    const found = readWhole(place, isWhole);
    return { value: found?.value ?? initial, since: found?.at ?? null, isTaken: false, lost: null as T | null };
  });
  const seen = useRef<string | null>(undefined);
  if (seen.current === undefined) seen.current = read<T>(place)?.id ?? null;
  const take = useEffectEvent(({ key }: StorageEvent) => {
    if (key !== place) return;
    const found = readWhole(place, isWhole);
    const mine = held.value;
    if (found && found.id === seen.current) return; // an older one, over which this tab has written
    const isOverwritten = found !== null && found.after !== seen.current;
    seen.current = found?.id ?? null;
    onTaken(mine);
    hold(({ lost }) => ({
      value: found?.value ?? initial,
      since: null,
      isTaken: true,
      lost: isOverwritten ? mine : lost,
    }));
  });
  useEffect(() => {
    const listen = (event: StorageEvent) => take(event);
    addEventListener("storage", listen);
    return () => removeEventListener("storage", listen);
  }, []);
  return {
    ...held,
    keep: (value: T) => {
      hold({ ...held, value, isTaken: false });
      seen.current = keepShared(place, isWorthKeeping(value) ? value : null, seen.current);
    },
    letGo: () => hold((now) => ({ ...now, lost: null })),
  };
}
