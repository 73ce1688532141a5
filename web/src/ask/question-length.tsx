import { useWords } from "../strings";

/** As many characters as the gateway takes. */
const MOST = 10_000;
/** From here on it is told how many there are. */
const NEAR = 9_000;

const measure = (query: string) => [...query.trim()].length;

export const isTooLong = (query: string) => query.length > MOST && measure(query) > MOST;

/** How long a question is, once that matters: nothing of it is cut. */
export function QuestionLength({ query }: { query: string }) {
  const { t, number } = useWords();
  if (query.length < NEAR) return null;
  const values = { n: number(measure(query)), most: number(MOST) };
  if (isTooLong(query)) return <p className="length danger" role="alert">{t("ask.length.over", values)}</p>;
  return <p className="length">{t("ask.length", values)}</p>;
}
