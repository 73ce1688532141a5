import { lazy, Suspense } from "react";

import { useWords, withWords } from "../strings";

export const Later = lazy(() => withWords(import("./later")));

/** As many characters as the gateway takes. */
const MOST = 10_000;
/** From this length on, the number of characters is shown. */
const NEAR = 9_000;

const measure = (query: string) => Array.from(query.trim()).length;

export const isTooLong = (query: string) => query.length > MOST && measure(query) > MOST;

/** How long a question is, once that matters: nothing of it is cut. */
export function QuestionLength({ query }: { query: string }) {
  const { number } = useWords();
  if (query.length < NEAR) return null;
  const isOver = isTooLong(query);
  return (
    <p className="length" role={isOver ? "alert" : undefined}>
      <Suspense>
        <Later
          says={isOver ? "ask.length.over" : "ask.length"}
          values={{ n: number(measure(query)), most: number(MOST) }}
        />
      </Suspense>
    </p>
  );
}
