/** The height in a box at which a part of it is shown. */
const HEIGHT = 1 / 3;

/** Scroll the boxes around a part, the innermost first, until the part is in sight in each; the window stays. */
export function showInBoxes(part: HTMLElement) {
  for (let box = findBox(part); box; box = findBox(box)) {
    const { top, bottom } = part.getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) box.scrollTop += top - frame.top - box.clientHeight * HEIGHT;
  }
}

const findBox = (part: HTMLElement) => part.parentElement?.closest<HTMLElement>(".scrolls");
