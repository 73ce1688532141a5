import { useEffect, useRef, useState } from "react";

import { useWords, type Key } from "../../strings";
import "./more-below.css";

/** Pixels by which a box may miss its end. */
const NEAR_PX = 4;
/** How much of a box one press goes on by. */
const STEP = 0.8;

interface Given {
  /** The name of the list's items, for the number of hidden ones. */
  of?: Key;
  /** These of them. */
  items?: string;
}

/** The last part of a scrolling box: shows that there is more below, and how many items. */
export function MoreBelow({ of, items = "li" }: Given) {
  const { t } = useWords();
  const sign = useRef<HTMLSpanElement>(null);
  const [more, setMore] = useState<number | null>(null);
  useEffect(() => {
    const box = sign.current!.parentElement!.closest<HTMLElement>(".scrolls")!;
    function look() {
      const { bottom } = box.getBoundingClientRect();
      const { scrollPaddingBottom: covered, paddingBottom: padding } = getComputedStyle(box);
      const end = Math.min(bottom, innerHeight - (Number.parseFloat(covered) || 0));
      const isBelow = (item: Element) => item.getBoundingClientRect().bottom > end;
      const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      setMore(isAtEnd ? null : [...box.querySelectorAll(items)].filter(isBelow).length);
      sign.current?.style.setProperty("bottom", `${bottom - end - Number.parseFloat(padding)}px`); // to the very edge
    }
    const grown = new MutationObserver(look);
    const resized = new ResizeObserver(look);
    grown.observe(box, { childList: true, subtree: true, attributeFilter: ["open"] });
    resized.observe(box);
    document.addEventListener("scroll", look, { capture: true, passive: true }); // also for scrolling of outer boxes
    window.addEventListener("resize", look);
    return () => {
      grown.disconnect();
      resized.disconnect();
      document.removeEventListener("scroll", look, true);
      window.removeEventListener("resize", look);
    };
  }, [items]);
  const goOn = () => {
    const box = sign.current?.closest<HTMLElement>(".scrolls");
    box?.scrollBy({ top: box.clientHeight * STEP });
  };
  return (
    <span className="more-below" ref={sign} hidden={more === null} aria-hidden>
      <button type="button" tabIndex={-1} onClick={goOn}>
        ↓ {more && of ? t(of, { n: more }) : t("list.below")}
      </button>
    </span>
  );
}
