/** What stays free around it, in pixels. */
const GAP = 8;

/** Bring what an open note's number belongs to, a row or a sentence, into sight above a sheet with the note; a note at the side covers nothing. */
export function showAboveSheet(number: Element) {
  const sheet = number.closest("[data-noted]")?.querySelector(".beside");
  const { position, maxHeight } = sheet ? getComputedStyle(sheet) : { position: "", maxHeight: "" };
  if (position !== "fixed") return;
  const said = number.closest("tr") ?? number.closest("[data-pressable]") ?? number;
  const top = (document.querySelector(".header")?.getBoundingClientRect().bottom ?? 0) + GAP;
  const bottom = innerHeight - parseFloat(maxHeight) - GAP; // as high as it may become once it has loaded
  const box = said.getBoundingClientRect();
  if (box.top >= top && box.bottom <= bottom) return;
  const margin = Math.max((bottom - top - box.height) / 2, 0); // the end of a long one, where its numbers are
  window.scrollBy({ top: box.bottom + margin - bottom, behavior: "instant" });
}
