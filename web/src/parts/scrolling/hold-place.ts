interface Given {
  /** Whether it is let go, which is asked in each frame. */
  isOver: () => boolean;
  /** Somebody scrolls: let it go, or hold it where it is from then on. */
  onScroll: "release" | "go on";
}

/** How often each box is held at this moment: the browser's own anchoring would move what is in it a second time. */
const HELD = new Map<HTMLElement, number>();

/** Keep an element where it is on the screen, although what is above it grows or shrinks; returns what lets it go. */
export function holdPlace(element: HTMLElement, { isOver, onScroll }: Given): () => void {
  const box = findBox(element);
  if (!box) return () => {};
  anchor(box, 1);
  const measure = () => element.getBoundingClientRect().top;
  let [top, scrolled] = [measure(), box.scrollTop];
  let frame = requestAnimationFrame(look);
  let isHeld = true;
  function look() {
    const most = box!.scrollHeight - box!.clientHeight; // one that has shrunk cannot be scrolled as far
    const isScrolled = Math.abs(box!.scrollTop - Math.min(scrolled, most)) > 1;
    if (!element.isConnected || (isScrolled && onScroll === "release") || isOver()) return release();
    if (!isScrolled) box!.scrollTo({ top: box!.scrollTop + measure() - top, behavior: "instant" });
    [top, scrolled] = [measure(), box!.scrollTop];
    frame = requestAnimationFrame(look);
  }
  function release() {
    cancelAnimationFrame(frame);
    if (isHeld) anchor(box!, -1);
    isHeld = false;
  }
  return release;
}

function anchor(box: HTMLElement, change: 1 | -1) {
  const count = (HELD.get(box) ?? 0) + change;
  box.style.overflowAnchor = count > 0 ? "none" : "";
  if (count > 0) HELD.set(box, count);
  else HELD.delete(box);
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
