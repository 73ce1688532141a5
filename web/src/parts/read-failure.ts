/** Why a document cannot be read, in the reader's language. */

import type { CollectionDocument } from "../api/client";
import { useWords, type Key } from "../strings";

export type ReadFailure = NonNullable<CollectionDocument["failure"]>;

/** Puts a failure into words, as they go on from the document's name. */
export function useFailureText(): (failure: ReadFailure) => string {
  const { t, language, number } = useWords();
  return ({ code, params = {} }) => {
    const words: Record<string, string> = {};
    for (const [name, value] of Object.entries(params)) {
      const isCode = name === "format" || name === "kind";
      words[name] = isCode ? t(`failure.${name}.${value}` as Key) : typeof value === "number" ? number(value) : value;
      if (language === "en") words[`a_${name}`] = `${/^[AEIO]/i.test(words[name]) ? "an" : "a"} ${words[name]}`;
    }
    return t(`failure.${code}`, words);
  };
}
