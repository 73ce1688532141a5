import { useEffect, useState } from "react";

/** State that a reload does not lose; it is of this tab, and forgotten with it. */
export function useDraft<T>(name: string, initial: T): [T, (value: T) => void, () => void] {
  const place = `greenlight.draft.${name}`;
  const [value, setValue] = useState<T>(() => {
    const kept = sessionStorage.getItem(place);
    return kept === null ? initial : (JSON.parse(kept) as T);
  });
  useEffect(() => {
    if (JSON.stringify(value) === JSON.stringify(initial)) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(value));
  });
  return [value, setValue, () => sessionStorage.removeItem(place)];
}
