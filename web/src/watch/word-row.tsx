import { memo } from "react";

import type { Json, Notice } from "../api/client";
import type { Word } from "../run/run-log";
import { useWords, type Key, type Words } from "../strings";

/** A notice, a question to a human, what a human said, or a sentence that a check took out. */
export const WordRow = memo(function WordRow({ word }: { word: Word }) {
  const words = useWords();
  return (
    <p className="word" data-kind={word.kind}>
      <span>{sayWord(word, words)}</span>
      <small className="aside">
        <time dateTime={word.at}>{words.clock(word.at)}</time>
      </small>
    </p>
  );
});

function sayWord({ kind, text, by, payload }: Word, { t, asked, served }: Words): string {
  const notice = payload["notice"] as Notice | null | undefined;
  if (notice) return t(`notice.${notice.code}`, notice.params);
  if (kind === "asked")
    return [t(payload["poll"] ? "work.asked.all" : "work.asked"), asked(text).replace(/:$/, "")]
      .filter(Boolean)
      .join(": ");
  if (kind === "refused") return `${t("work.refused")}: ${text}`;
  if (kind === "told") return `${t("work.told")}: ${text}`;
  if (kind !== "answered") return text;
  if (payload["scope"]) return `${t("work.consent")}: ${served(String(payload["scope"]))}`;
  const [name, said] = nameDeed(payload);
  return t(`work.${by ? "said" : "done"}.${name}`, { by, text: String(said ?? "") });
}

type Deed = Key extends infer K ? (K extends `work.done.${infer Name}` ? Name : never) : never;

/** Return what a human did, and the words that go with it. */
function nameDeed(payload: Json): [Deed, unknown?] {
  for (const name of ["answers", "steer", "undo", "cancel", "delegate"] as const) {
    if (payload[name]) return [name, payload[name]];
  }
  if (payload["vote"]) return [payload["vote"] === "modify" ? "change" : "vote"];
  if (typeof payload["paused"] === "boolean") return [payload["paused"] ? "pause" : "resume"];
  return [payload["action"] as "approve" | "modify" | "revise" | "reject", payload["feedback"]];
}
