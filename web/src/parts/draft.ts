import { useEffect, useState } from "react";

const placeOf = (name: string) => `greenlight.draft.${name}`;

/** State that a reload does not lose; it is of this tab, and forgotten with it. */
export function useDraft<T>(name: string, initial: T): [T, (value: T) => void, () => void] {
  const place = placeOf(name);
  const [value, setValue] = useState<T>(() => {
    const kept = sessionStorage.getItem(place);
    return kept === null ? initial : (JSON.parse(kept) as T);
  });
  useEffect(() => {
    if (JSON.stringify(value) === JSON.stringify(initial)) sessionStorage.removeItem(place);
    else keepDraft(name, value);
  });
  return [value, setValue, () => sessionStorage.removeItem(place)];
}

export function keepDraft(name: string, value: unknown) {
  try {
    sessionStorage.setItem(placeOf(name), JSON.stringify(value));
  } catch {
    // more than a browser keeps: it holds until the tab is loaded anew
  }
}
