/** The page's languages: what is loaded of each, and when. */

import { createContext, useContext, useEffect, useState } from "react";

import type { Catalogue } from "./catalogue";
import { en } from "./en";
import firstNotices from "../../../contracts/words/en.json?first";
import { formatWords, type Language, type Words } from "./words";

export type { Key } from "./catalogue";
export type { Language, Words } from "./words";
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

/** Return the words of a language, as far as they are loaded. */
export const createWords = (language: Language): Words => formatWords(language, SPEECHES[language]);

export const WordsContext = createContext<Words>(createWords("en"));

export const useWords = () => useContext(WordsContext);
