import { useCallback, useSyncExternalStore } from "react";

/** Windows that have room for one column, as the stylesheets say it too. */
export const ONE_COLUMN = "(max-width: 56rem)";

/** Windows of a phone, as the stylesheets say it too. */
export const PHONE = "(max-width: 40rem)";

/** Whether a media query matches, now and after each change. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
