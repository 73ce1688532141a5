import { useEffect } from "react";

/** What a press changes may arrive later, such as a price. */
const SETTLED_MS = 1_500;
const PRESSED = "a, button, input, label, select, summary, [role=button]";

/**
 * Keep what one presses where it is on the screen, although what stands above it grows or shrinks: the next press
 * would meet something else. Whoever scrolls meanwhile, the reader or a view, goes on scrolling; a box that brings what
 * is pressed into sight itself has `data-shows-itself`.
 */
export function useHeldPress() {
  useEffect(() => {
    let release = () => {};
    function onPress({ target }: Event) {
      const found = target instanceof Element ? target.closest<HTMLElement>(PRESSED) : null;
      const pressed = found?.closest("label") ?? found;
      release();
      if (pressed && !pressed.closest("[data-shows-itself]")) release = hold(pressed);
    }
    const kinds = ["pointerdown", "keydown"];
    for (const kind of kinds) document.addEventListener(kind, onPress, true);
    return () => {
      release();
      for (const kind of kinds) document.removeEventListener(kind, onPress, true);
    };
  }, []);
}

function hold(pressed: HTMLElement): () => void {
  const box = findBox(pressed);
  if (!box) return () => {};
  const { overflowAnchor } = box.style;
  box.style.overflowAnchor = "none"; // the browser would move it a second time
  const until = performance.now() + SETTLED_MS;
  const measure = () => pressed.getBoundingClientRect().top;
  let [top, scrolled] = [measure(), box.scrollTop];
  let frame = requestAnimationFrame(look);
  function look() {
    const most = box!.scrollHeight - box!.clientHeight; // one that has shrunk cannot be scrolled as far
    const isScrolled = Math.abs(box!.scrollTop - Math.min(scrolled, most)) > 1;
    if (!pressed.isConnected || isScrolled || performance.now() > until) return release();
    box!.scrollTo({ top: box!.scrollTop + measure() - top, behavior: "instant" });
    [top, scrolled] = [measure(), box!.scrollTop];
    frame = requestAnimationFrame(look);
  }
  function release() {
    cancelAnimationFrame(frame);
    box!.style.overflowAnchor = overflowAnchor;
  }
  return release;
}

/** Return the box that an element scrolls with; null: it stays on the screen whatever scrolls. */
function findBox(element: HTMLElement): HTMLElement | null {
  for (let place: HTMLElement | null = element; place; place = place.parentElement) {
    const { overflowY, position } = getComputedStyle(place);
    if (place !== element && /auto|scroll/.test(overflowY) && place.scrollHeight > place.clientHeight) return place;
    if (position === "fixed" || position === "sticky") return null;
  }
  return document.documentElement;
}
