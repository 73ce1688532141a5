import { memo } from "react";

import type { Word } from "../run/run-log";
import { useWords, type Words } from "../strings";

/** A notice, a question to a human, or what a human said. */
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
  if (kind === "asked") return [t("work.asked"), asked(text).replace(/:$/, "")].filter(Boolean).join(": ");
  if (kind !== "answered") return text;
  const who = { by: by || t("work.somebody") };
  if (payload["scope"]) return `${t("work.consent")}: ${served(String(payload["scope"]))}`;
  if (payload["answers"]) return t("work.said.answers", who);
  if (payload["steer"]) return t("work.said.steer", { ...who, text: String(payload["steer"]) });
  if (payload["undo"]) return t("work.said.undo", { ...who, text: String(payload["undo"]) });
  if (payload["cancel"]) return t("work.said.cancel", who);
  if (payload["delegate"]) return t("work.said.delegate", { ...who, text: String(payload["delegate"]) });
  if (payload["vote"]) return t("work.said.vote", who);
  if (typeof payload["paused"] === "boolean") return t(payload["paused"] ? "work.said.pause" : "work.said.resume", who);
  const action = payload["action"] as "approve" | "modify" | "revise" | "reject";
  return t(`work.said.${action}`, { ...who, text: String(payload["feedback"] ?? "") });
}
