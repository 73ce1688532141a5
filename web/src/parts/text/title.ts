import { useEffect } from "react";

/** More of a title no tab shows. */
const MOST_CHARS = 80;

const shorten = (title: string) => (title.length > MOST_CHARS ? `${title.slice(0, MOST_CHARS).trimEnd()} …` : title);

let named = "";
let waiting = 0;

function show() {
  const name = named ? `${shorten(named)} – Greenlight` : "Greenlight";
  document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
}

/** Names the tab after the view. */
export function useTitle(title: string) {
  useEffect(() => {
    named = title;
    show();
  }, [title]);
}

/** Says in the tab's title how many runs wait. */
export function useTitleCount(count: number) {
  useEffect(() => {
    waiting = count;
    show();
  }, [count]);
}
