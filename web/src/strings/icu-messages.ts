/** ICU messages, as the catalogues of the page and of the gateway have them; `contracts/words` says which part of ICU. */

import type { Notice } from "../api/client";
import { createUsd } from "./dollars";
import { once } from "./once";

export type Coded = Pick<Notice, "code"> & Partial<Pick<Notice, "params">>;
type Param = NonNullable<Notice["params"]>[string];
export type Params = Record<string, Param | undefined>;

const OPTIONAL = /\[([^[\]]*)\]/g;
const HOLE = /\{(\w+)(:[,a$])?\}/g;
const BRANCH = String.raw`\{((?:[^{}]|\{[^{}]*\})*)\}`;
const PLURAL = new RegExp(String.raw`\{(\w+), plural, one ${BRANCH} other ${BRANCH}\}`, "g");

/** Return a formatter of messages in a language; `say` formats a notice that is a parameter of another one. */
export function createMessages(language: string, say: (notice: Coded) => string) {
  const numbers = once(() => new Intl.NumberFormat(language, { useGrouping: "min2", maximumFractionDigits: 6 }));
  const forms = once(() => new Intl.PluralRules(language));
  const usd = createUsd(language);

  function write(value: Param | undefined, separator: string): string {
    if (value === undefined) return "";
    if (typeof value === "string") return value;
    if (typeof value === "number") return numbers().format(value);
    if (Array.isArray(value)) return value.map((part) => write(part, separator)).join(separator);
    return say(value);
  }

  return function fill(text: string, params: Params = {}): string {
    const isKnown = (part: string) => [...part.matchAll(HOLE)].every(([, name]) => params[name!] !== undefined);
    return text
      .replace(OPTIONAL, (_, part: string) => (isKnown(part) ? part : ""))
      .replace(PLURAL, (_, name: string, one: string, other: string) =>
        (forms().select(Number(params[name])) === "one" ? one : other).replaceAll("#", `{${name}}`),
      )
      .replace(HOLE, (_, name: string, form?: string) => {
        const value = params[name];
        if (form === ":$" && typeof value === "number") return usd(value);
        const written = write(value, form === ":," ? ", " : "; ");
        return form === ":a" ? `${/^[AEIO]/i.test(written) ? "an" : "a"} ${written}` : written;
      });
  };
}
