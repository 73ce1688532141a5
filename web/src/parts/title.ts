import { useEffect } from "react";

/** Names the tab after the view. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = title ? `${title} – Greenlight` : "Greenlight";
  }, [title]);
}
