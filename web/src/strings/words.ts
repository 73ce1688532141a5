/** Words, numbers, amounts, dates and durations as the reader's language writes them. */

import type { Definition } from "../api/client";
import type { Catalogue, Key } from "./catalogue";
import { createUsd } from "./dollars";
import { once } from "./once";
import { createMessages, type Coded, type Params } from "./icu-messages";

export type Language = "en" | "de";

type Named = Pick<Definition, "id" | "title" | "is_preset">;
type Described = Pick<Definition, "id" | "is_preset" | "description" | "consent">;

export interface Words {
  language: Language;
  t: (key: Key, values?: Params) => string;
  /** What a notice of the gateway says; `otherwise` where the catalogue lacks it. */
  say: (notice: Coded, otherwise?: string) => string;
  /** What a definition is called; one of somebody's own, as they say. */
  named: (definition: Named) => string;
  /** What a definition does, or what starting it allows. */
  described: (definition: Described, part: "description" | "consent") => string;
  /** What a phase is called. */
  called: (phase: { title: string; title_code?: string }) => string;
  usd: (amount: number) => string;
  number: (value: number) => string;
  /** A day and its minute, or its second. */
  date: (iso: string, toSecond?: boolean) => string;
  clock: (iso: string) => string;
  span: (seconds: number) => string;
  ago: (iso: string) => string;
}

/** What is loaded of a language: the words of the page, and notices of the gateway. */
interface Loaded {
  catalogue: Catalogue;
  notices: Record<string, string>;
}

/** Write a moment; "AM" or "PM" stays on the line of its hour. */
const tellTime = (format: Intl.DateTimeFormat, iso: string) =>
  format
    .formatToParts(new Date(iso))
    .map(({ value }, n, parts) => (parts[n + 1]?.type === "dayPeriod" ? value.replace(" ", "\u00a0") : value))
    .join("");

/** Return what writes words, numbers, amounts, dates and durations in a language. */
export function formatWords(language: Language, { catalogue, notices }: Loaded): Words {
  const fill = createMessages(language, (notice) => say(notice));
  const t = (key: Key, values?: Params) => fill(catalogue[key], values);
  const say = ({ code, params }: Coded, otherwise = code): string =>
    Object.hasOwn(notices, code) ? fill(notices[code] ?? "", params) : otherwise;
  const dates = (options: Intl.DateTimeFormatOptions) => once(() => new Intl.DateTimeFormat(language, options));
  const day = dates({ dateStyle: "medium" });
  const moment = dates({ dateStyle: "medium", timeStyle: "short" });
  const instant = dates({ dateStyle: "medium", timeStyle: "medium" });
  const clock = dates({ timeStyle: "medium" });
  return {
    language,
    t,
    say,
    named: ({ id, title, is_preset }) => (is_preset ? say({ code: `preset-${id}` }, title) : title || id),
    described: (one, part) => (one.is_preset ? say({ code: `preset-${one.id}-${part}` }, one[part]) : one[part]),
    called: ({ title, title_code: code }) => (code ? say({ code }, title) : title),
    usd: createUsd(language),
    number: (value) => new Intl.NumberFormat(language).format(value),
    date: (iso, toSecond = false) => tellTime(toSecond ? instant() : moment(), iso),
    clock: (iso) => tellTime(clock(), iso),
    span: (seconds) => {
      if (seconds > 0 && seconds < 9.5) {
        const tenths = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
        return t("time.seconds", { n: tenths.format(seconds) });
      }
      if (seconds < 100) return t("time.seconds", { n: Math.max(Math.round(seconds), 0) });
      const minutes = Math.round(seconds / 60);
      if (minutes < 60) return t("time.minutes", { n: minutes });
      return t("time.hours", { h: Math.floor(minutes / 60), m: minutes % 60 });
    },
    ago: (iso) => {
      const seconds = (Date.parse(iso) - Date.now()) / 1000;
      const away = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
      if (Math.abs(seconds) < 45) return t("time.now");
      if (Math.abs(seconds) < 3_600) return away.format(Math.round(seconds / 60), "minute");
      if (Math.abs(seconds) < 86_400) return away.format(Math.round(seconds / 3_600), "hour");
      if (Math.abs(seconds) < 7 * 86_400) return away.format(Math.round(seconds / 86_400), "day");
      return day().format(new Date(iso));
    },
  };
}
