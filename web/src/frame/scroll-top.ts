import { useEffect } from "react";

/** Begin another view at its top; going back is left to the browser, which knows where one was. */
export function useScrollTop() {
  useEffect(() => {
    let shown = location.pathname;
    function look({ type }: Event) {
      if (type === "pushState" && location.pathname !== shown) window.scrollTo(0, 0);
      shown = location.pathname;
    }
    const kinds = ["pushState", "replaceState", "popstate"]; // events of the router
    for (const kind of kinds) window.addEventListener(kind, look);
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, look);
    };
  }, []);
}
