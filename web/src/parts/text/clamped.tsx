import { useLayoutEffect, useRef, useState } from "react";

import { useWords } from "../../strings";

interface Given {
  text: string;
  as?: "h1" | "h2" | "p";
  className?: string;
  tabIndex?: number;
}

/** A text in three lines; what is longer is shown whole once one wants it. */
export function Clamped({ text, as: Tag = "p", className = "", tabIndex }: Given) {
  const { t } = useWords();
  const place = useRef<HTMLHeadingElement>(null);
  const [isLonger, setLonger] = useState(false);
  const [isWhole, setWhole] = useState(false);
  useLayoutEffect(() => {
    if (isWhole) return undefined;
    const look = () => setLonger(place.current!.scrollHeight > place.current!.clientHeight + 1);
    const resized = new ResizeObserver(look);
    resized.observe(place.current!);
    look();
    return () => resized.disconnect();
  }, [text, isWhole]);
  return (
    <>
      <Tag ref={place} className={isWhole ? className : `${className} clamped`.trim()} tabIndex={tabIndex}>
        {text}
      </Tag>
      {isLonger && (
        <button type="button" className="quiet whole-text" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {t(isWhole ? "text.short" : "text.whole")}
        </button>
      )}
    </>
  );
}
