/** Why a document cannot be read, in the reader's language. */

import type { CollectionDocument } from "../api/client";
import { useWords } from "../strings";

export type ReadFailure = NonNullable<CollectionDocument["failure"]>;

/** Puts a failure into words, as they go on from the document's name. */
export function useFailureText(): (failure: ReadFailure) => string {
  const { say } = useWords();
  return ({ code, params = {} }) => {
    const words: Record<string, string | number> = {};
    for (const [name, value] of Object.entries(params)) {
      const isCode = name === "format" || name === "kind";
      const word = isCode ? say({ code: `failure.${name}.${value}` }) : value;
      words[name] = word;
      words[`a_${name}`] = `${/^[AEIO]/i.test(String(word)) ? "an" : "a"} ${word}`; // only English has this hole
    }
    return say({ code: `failure.${code}`, params: words });
  };
}
