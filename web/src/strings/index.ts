/** Words, numbers and dates in the reader's language. */

import { createContext, useContext, useEffect, useState } from "react";

import type { Definition } from "../api/client";
import type { Catalogue, Key } from "./catalogue";
import { en } from "./en";
import firstNotices from "../../../contracts/words/en.json?first";
import { createMessages, createUsd, type Coded, type Params } from "./messages";

export type { Key } from "./catalogue";
export type Language = "en" | "de";
export const LANGUAGE_NAMES: Record<Language, string> = { en: "English", de: "Deutsch" };

/** Words of the page, and of notices. */
type Found = readonly [words: object, notices: object];

/** The words of a language as far as they are loaded: those of the first view, and later all of them. */
class Speech {
  readonly catalogue = {} as Catalogue;
  readonly notices: Record<string, string> = {};
  private readonly parts: { first: () => Promise<Found>; all: () => Promise<Found> };

  constructor(first: () => Promise<Found>, all: () => Promise<Found>) {
    this.parts = { first, all };
  }

  learn([words, notices]: Found): this {
    Object.assign(this.catalogue, words);
    Object.assign(this.notices, notices);
    return this;
  }

  async load(isWhole: boolean) {
    const { first, all } = this.parts;
    for (const found of await Promise.all([first(), isWhole ? all() : NOTHING])) this.learn(found);
  }
}

const NOTHING: Found = [{}, {}];

const SPEECHES: Record<Language, Speech> = {
  en: new Speech(
    () => Promise.resolve(NOTHING),
    async () => {
      const [{ views }, notices] = await Promise.all([
        import("./en-views"),
        import("../../../contracts/words/en.json"),
      ]);
      return [views, notices.default];
    },
  ).learn([en, firstNotices]),
  de: new Speech(
    async () => {
      const [{ de }, notices] = await Promise.all([import("./de"), import("../../../contracts/words/de.json?first")]);
      return [de, notices.default];
    },
    async () => {
      const [{ views }, notices] = await Promise.all([
        import("./de-views"),
        import("../../../contracts/words/de.json"),
      ]);
      return [views, notices.default];
    },
  ),
};

let spoken: Language = "en";
/** Whether a view was opened that needs more than the words of the first one. */
let isWhole = false;

/** Choose the language whose words come with the views that are opened from now on. */
export function speak(language: Language) {
  spoken = language;
}

/** A view other than the first comes with its words. */
export async function withWords<View>(view: Promise<View>): Promise<View> {
  isWhole = true;
  const [found] = await Promise.all([view, SPEECHES[spoken].load(true)]);
  return found;
}

/** Return the words of a language, once what the views that were opened say is loaded. */
export async function loadWords(language: Language): Promise<Words> {
  await SPEECHES[language].load(isWhole);
  return createWords(language);
}

/** Load all words if something is said that is not among the first ones, such as why a start was refused. */
export function useAllWords(isNeeded = true) {
  const [, setHere] = useState(isWhole);
  useEffect(() => {
    if (isNeeded)
      withWords(Promise.resolve()).then(
        () => setHere(true),
        () => {},
      ); // else the gateway's own words stay
  }, [isNeeded]);
}

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

export function createWords(language: Language): Words {
  const { catalogue, notices } = SPEECHES[language];
  const fill = createMessages(language, (notice) => say(notice));
  const t = (key: Key, values?: Params) => fill(catalogue[key], values);
  const say = ({ code, params }: Coded, otherwise = code): string =>
    Object.hasOwn(notices, code) ? fill(notices[code] ?? "", params) : otherwise;
  const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const moment = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const instant = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  return {
    language,
    t,
    say,
    named: ({ id, title, is_preset }) => (is_preset ? say({ code: `preset-${id}` }, title) : title || id),
    described: (one, part) => (one.is_preset ? say({ code: `preset-${one.id}-${part}` }, one[part]) : one[part]),
    called: ({ title, title_code: code }) => (code ? say({ code }, title) : title),
    usd: createUsd(language),
    number: (value) => new Intl.NumberFormat(language).format(value),
    date: (iso, toSecond = false) => (toSecond ? instant : moment).format(new Date(iso)),
    clock: (iso) => clock.format(new Date(iso)),
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
      return day.format(new Date(iso));
    },
  };
}

export const WordsContext = createContext<Words>(createWords("en"));

export const useWords = () => useContext(WordsContext);
