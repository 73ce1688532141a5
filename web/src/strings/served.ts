/** What ships with the gateway, which says it in English: in the reader's language. */

import type { Said } from "./index";

type Texts = Record<string, string>;

/** The English and how else it is said; {…} is a name in it. */
export interface Served {
  /** Titles of phases, by their kind. */
  titles: Record<string, Texts>;
  /** What is said of definitions, kinds and libraries. */
  texts: Texts;
  /** What a run asks on its own account, and the answers that it offers. */
  asked: Texts;
  /** Sentences that stand behind such a question. */
  added: Texts;
}

export const translate = ({ titles, texts, asked, added }: Served): Said => ({
  served: createTranslation(texts),
  asked: createTranslation(asked, added),
  called: ({ kind, title }) => lookUp(lookUp(titles, kind) ?? {}, title) ?? title,
});

/** Say what is among the texts, also with names in it or with sentences behind it; all else stays as it is. */
function createTranslation(texts: Texts, added: Texts = {}) {
  const named = Object.keys(texts).filter((text) => text.includes("{"));
  const patterns = named.map((text) => [toPattern(text), texts[text]!] as const);
  const behind = Object.entries(added).map(([text, said]) => [toPattern(`{before} ${text}`), said] as const);
  return function say(text: string): string {
    const whole = lookUp(texts, text);
    if (whole !== undefined) return whole;
    for (const [pattern, said] of behind) {
      const found = pattern.exec(text)?.groups;
      if (found) return `${say(found["before"]!)} ${name(said, found)}`;
    }
    for (const [pattern, said] of patterns) {
      const found = pattern.exec(text)?.groups;
      if (found) return name(said, { ...found, question: say(found["question"] ?? "") });
    }
    return text;
  };
}

const name = (text: string, names: Texts) => text.replace(/\{(\w+)\}/g, (_, hole: string) => names[hole] ?? "");

/** An object's own value: names of its prototype are words like any other. */
const lookUp = <T>(values: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** Match a text, with anything for each of its names. */
function toPattern(text: string): RegExp {
  const parts = text
    .split(/\{(\w+)\}/)
    .map((part, n) => (n % 2 ? `(?<${part}>.+)` : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  return new RegExp(`^${parts.join("")}$`, "s");
}
