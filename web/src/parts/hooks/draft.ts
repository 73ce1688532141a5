import { useState } from "react";

/** Where decisions are kept until the gateway has them, by run and checkpoint; they go as other drafts do when somebody else enters. */
export const KEPT_DECISION = "greenlight.draft.decision.";

/** The places of the decisions that this browser keeps. */
export function listKeptDecisions(): string[] {
  try {
    return Object.keys(localStorage).filter((place) => place.startsWith(KEPT_DECISION));
  } catch {
    return []; // a browser may keep nothing
  }
}

const placeOf = (name: string) => `greenlight.draft.${name}`;

/** State that a reload does not lose; it is of this tab, and forgotten with it. */
export function useDraft<T>(name: string, initial: T): [T, (value: T) => void, () => void] {
  const place = placeOf(name);
  const [value, setValue] = useState<T>(() => {
    const kept = sessionStorage.getItem(place);
    return kept === null ? initial : (JSON.parse(kept) as T);
  });
  /** Kept at once: who sets it may go on to another view before this one is drawn again. */
  function set(next: T) {
    setValue(next);
    if (JSON.stringify(next) === JSON.stringify(initial)) sessionStorage.removeItem(place);
    else keepDraft(name, next);
  }
  return [value, set, () => sessionStorage.removeItem(place)];
}

export function keepDraft(name: string, value: unknown) {
  try {
    sessionStorage.setItem(placeOf(name), JSON.stringify(value));
  } catch {
    // the browser's storage is full: the value is kept until the tab is reloaded
  }
}
