import { useState } from "react";

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
