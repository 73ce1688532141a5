import { useEffect } from "react";

import { holdPlace } from "../parts/scrolling/hold-place";

/** What a press changes may arrive later, such as a price. */
const SETTLED_MS = 1_500;
const PRESSED = "a, button, input, label, select, summary, [role=button]";

/**
 * Keep what one presses where it is on the screen, although what stands above it grows or shrinks: the next press
 * would meet something else. Whoever scrolls meanwhile, the reader or a view, goes on scrolling; a box that brings what
 * is pressed into sight itself has `data-shows-itself`.
 */
export function useKeepPressedInPlace() {
  useEffect(() => {
    let release = () => {};
    function onPress({ target }: Event) {
      const found = target instanceof Element ? target.closest<HTMLElement>(PRESSED) : null;
      const pressed = found?.closest("label") ?? found;
      release();
      const until = performance.now() + SETTLED_MS;
      const isOver = () => performance.now() > until;
      if (pressed && !pressed.closest("[data-shows-itself]")) {
        release = holdPlace(pressed, { isOver, onScroll: "release" });
      }
    }
    const kinds = ["pointerdown", "keydown"];
    for (const kind of kinds) document.addEventListener(kind, onPress, true);
    return () => {
      release();
      for (const kind of kinds) document.removeEventListener(kind, onPress, true);
    };
  }, []);
}
