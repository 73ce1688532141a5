import { memo } from "react";

import type { HumanResponse } from "../api/client";
import type { Word } from "../run-state/run-log";
import { useWords, type Key, type Words } from "../strings";

/** A notice, a question to a human, a human's message, or a removed sentence. */
export const WordRow = memo(function WordRow({ word }: { word: Word }) {
  const words = useWords();
  return (
    <p className="word" data-kind={word.kind}>
      <span>{sayWord(word, words)}</span>
      <small className="at figure">
        <time dateTime={word.at}>{words.clock(word.at)}</time>
      </small>
    </p>
  );
});

function sayWord({ kind, text, doubts, by, event }: Word, { t, say }: Words): string {
  if (kind === "refused")
    return `${t("work.refused")}: ${[text, doubts.map((doubt) => say(doubt)).join("; ")].filter(Boolean).join(" — ")}`;
  if (kind === "told") return `${t("work.told")}: ${text}`;
  switch (event.type) {
    case "Status": {
      const { notice } = event.payload;
      return notice ? say(notice) : text;
    }
    case "InputRequiredEvent":
      return [
        t(event.payload.poll ? "work.asked.all" : "work.asked"),
        ...(event.payload.asks ?? []).map((ask) => say(ask)),
      ].join(": ");
    case "HumanResponseEvent": {
      const said = event.payload;
      if ("scope" in said && said.scope)
        return `${t("work.consent")}: ${said.consent ? say(said.consent) : said.scope}`;
      const [name, words] = nameDeed(said);
      return t(`work.${by ? "said" : "done"}.${name}`, { by, text: words });
    }
    default:
      return text;
  }
}

type Deed = Key extends infer K ? (K extends `work.done.${infer Name}` ? Name : never) : never;

/** Return what a human did, and the words that go with it. */
function nameDeed(said: HumanResponse): [Deed, string] {
  if ("answers" in said) return ["answers", ""];
  if ("steer" in said) return ["steer", said.steer];
  if ("undo" in said) return ["undo", String(said.undo)];
  if ("cancel" in said) return ["cancel", said.cancel];
  if ("delegate" in said) return ["delegate", said.delegate];
  if ("vote" in said) return [said.vote === "modify" ? "change" : "vote", ""];
  if ("paused" in said) return [said.paused ? "pause" : "resume", ""];
  return [said.action, said.feedback];
}
