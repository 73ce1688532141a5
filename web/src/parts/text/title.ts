import { useEffect } from "react";

/** More of a title no tab shows. */
const MOST_CHARS = 80;

const shorten = (title: string) => (title.length > MOST_CHARS ? `${title.slice(0, MOST_CHARS).trimEnd()} …` : title);

/** Names the tab after the view. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = title ? `${shorten(title)} – Greenlight` : "Greenlight";
  }, [title]);
}
