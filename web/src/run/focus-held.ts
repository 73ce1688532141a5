import { useEffect, useRef } from "react";

/**
 * Where what had the focus has gone, as a decision goes once it is made, the first heading of the frame takes it: it
 * comes into sight with another view, and nothing moves when only the moment is another.
 */
export function useFocusHeld(view: string, moment: string) {
  const frame = useRef<HTMLDivElement>(null);
  const held = useRef<HTMLElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    const hold = ({ target }: FocusEvent) => (held.current = target as HTMLElement);
    const element = frame.current;
    element?.addEventListener("focusin", hold);
    return () => element?.removeEventListener("focusin", hold);
  }, []);
  useEffect(() => {
    const preventScroll = shown.current === view;
    shown.current = view;
    const isFree = [document.body, held.current].includes(document.activeElement as HTMLElement);
    if (isFree && held.current?.checkVisibility() === false)
      frame.current?.querySelector("h1")?.focus({ preventScroll });
  }, [view, moment]);
  return frame;
}
