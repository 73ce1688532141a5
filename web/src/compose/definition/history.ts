/** The definition being written, with the way back and forth through its changes. */

import { useState } from "react";

import { isDraft, isSame, type Draft } from "./draft";
import { useSharedDraft } from "./shared-draft";
import { pick } from "../../parts/pick";

export interface Written {
  definition: Draft;
  /** The text typed into the JSON view; null: derive it from the definition. */
  text: string | null;
}

/** The edited version; 0: none is saved yet. */
export interface Base {
  version: number;
  saved: Draft;
}

/** What a reload, and every other tab, finds again. */
export interface Kept extends Written, Base {}

interface Steps {
  past: Written[];
  future: Written[];
  /** What the last change was to; further changes of the same are one step. */
  of: string;
}

const NONE: Steps = { past: [], future: [], of: "" };
const MAX_STEPS = 200;
/** What is changed by another tab. */
const ELSEWHERE = "elsewhere";

/** Return the steps after a change of what stood `before`; further changes of the same are one. */
const step = (past: Written[], before: Written, lastOf: string, of: string): Steps => ({
  past: of !== "" && of === lastOf ? past : [...past, before].slice(-MAX_STEPS),
  future: [],
  of,
});

const isKept = (value: unknown): value is Kept =>
  typeof value === "object" &&
  value !== null &&
  ["definition", "saved"].every((name) => isDraft(value[name as keyof typeof value]));

const isUnsaved = ({ definition, text, saved }: Kept) =>
  (text !== null && whyBroken(text) !== null) || !isSame(definition, saved);

export function useHistory(place: string, initial: Kept) {
  const [steps, setSteps] = useState(NONE);
  const {
    value: kept,
    keep,
    since,
    isTaken,
    lost,
    letGo,
  } = useSharedDraft({
    place,
    initial,
    isWhole: isKept,
    isWorthKeeping: isUnsaved,
    onTaken: ({ definition, text }) => setSteps(({ past, of }) => step(past, { definition, text }, of, ELSEWHERE)),
  });
  const { past, future } = steps;
  const written: Written = { definition: kept.definition, text: kept.text };
  const isBroken = kept.text !== null && whyBroken(kept.text) !== null;

  function write(next: Written, of: string, base: Partial<Base> = {}) {
    if (!isSame(next, written)) {
      setSteps(step(past, written, steps.of, of));
    }
    keep({ ...kept, ...next, ...base });
  }

  function go(to: Written, steps: Omit<Steps, "of">) {
    setSteps({ ...steps, of: "" });
    keep({ ...kept, ...to });
  }

  return {
    ...kept,
    isBroken,
    isDirty: isUnsaved(kept),
    /** When what was found here had been written; null: it began as it is saved. */
    since,
    /** What is seen was written in another tab. */
    isTaken,
    /** What was written here while another tab wrote over it; null: nothing was. */
    lost,
    letGo,
    bringBack: () => {
      if (lost) write({ definition: lost.definition, text: lost.text }, "");
      letGo();
    },
    /** Change the definition; changes `of` the same thing, one after the other, are undone at once. */
    edit: (definition: Draft, of = "", base: Partial<Base> = {}) => write({ definition, text: null }, of, base),
    /** Take a text as typed; the definition follows it for as long as it is one. */
    type(text: string) {
      const isWhole = whyBroken(text) === null;
      write({ definition: isWhole ? (JSON.parse(text) as Draft) : kept.definition, text }, "text");
    },
    drop: () => write({ ...written, text: null }, ""),
    undo: past.length > 0 ? () => go(pick(past, -1), { past: past.slice(0, -1), future: [written, ...future] }) : null,
    redo: future.length > 0 ? () => go(pick(future, 0), { past: [...past, written], future: future.slice(1) }) : null,
    /** Say that a version is what was written, or is to be written on from. */
    rebase: (version: number, saved: Draft, changes: Partial<Written> = {}) =>
      keep({ ...kept, ...changes, version, saved }),
    forget: () => keep(initial),
  };
}

export type History = ReturnType<typeof useHistory>;

/** Return why a text is no definition that can be drawn, or null; empty: it is JSON of another form. */
export function whyBroken(text: string): string | null {
  try {
    return isDraft(JSON.parse(text)) ? null : "";
  } catch (error) {
    return (error as Error).message;
  }
}
