/** Notices of the gateway: codes with parameters, in the words of the catalogues that reports are written with. */

import type { Notice } from "../api/client";

export type NoticeWords = Record<string, string>;
export type Coded = Pick<Notice, "code"> & Partial<Pick<Notice, "params">>;
type Param = NonNullable<Notice["params"]>[string];

/** From here on, whole numbers are written in groups of three digits. */
const GROUPED = 10_000;

/**
 * Return what says a notice in a language. Of a text in two parts, the first is for `n` = 1; what stands in brackets
 * is left out where a parameter in it is missing; a list is joined by semicolons, in a hole `{name:,}` by commas.
 */
export function createNoticeWords(words: NoticeWords, language: string) {
  const small = new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 6 });
  const large = new Intl.NumberFormat(language);

  function write(value: Param, separator: string): string {
    if (typeof value === "string") return value;
    if (typeof value === "number") return (Math.abs(value) < GROUPED ? small : large).format(value);
    if (Array.isArray(value)) return value.map((part) => write(part, separator)).join(separator);
    return say(value);
  }

  /** Return the words of a notice; `otherwise` where the catalogue has none, or is not loaded yet. */
  function say({ code, params = {} }: Coded, otherwise = code): string {
    if (!Object.hasOwn(words, code)) return otherwise;
    const [one, several = one] = words[code]!.split(" | ") as [string, string?];
    const isKnown = (part: string) => [...part.matchAll(/\{(\w+)(?::,)?\}/g)].every(([, hole]) => hole! in params);
    return (params["n"] === 1 ? one : several)
      .replace(/\[([^[\]]*)\]/g, (_, part: string) => (isKnown(part) ? part : ""))
      .replace(/\{(\w+)(:,)?\}/g, (_, hole: string, commas?: string) =>
        write(params[hole] ?? "", commas ? ", " : "; "),
      );
  }
  return say;
}
