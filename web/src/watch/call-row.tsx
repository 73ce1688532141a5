import { useMutation } from "@tanstack/react-query";
import { memo } from "react";

import { undoPatch, type Json, type RunState } from "../api/client";
import { Readable } from "../parts/readable";
import { useProblemText } from "../parts/notices";
import type { Call, Patch } from "../run/run-log";
import { useWords } from "../strings";

const LIVE_CHARS = 280;
const LONGEST_CHARS = 20_000;

interface Given {
  call: Call;
  patch: Patch | undefined;
  isUndone: boolean;
  state: RunState;
}

/** One turn of an agent, or one call of a tool: what it is in a line, the rest when opened. */
export const CallRow = memo(function CallRow({ call, patch, isUndone, state }: Given) {
  const { t, clock, usd } = useWords();
  const isOpen = call.endedAt === null;
  const line = useLine(call);
  return (
    <div className="call" data-kind={call.kind} data-open={isOpen || undefined} data-error={call.isError || undefined}>
      <details>
        <summary>
          <span className="line">
            {line}
            {call.attempt > 1 && <small> {t("work.attempt", { n: call.attempt })}</small>}
            {call.isError && <small className="bad"> {t("work.failed")}</small>}
            {isUndone && <small> {t("work.undone")}</small>}
          </span>
          <small className="aside">
            {call.usd > 0 && !state.offline && <span>{usd(call.usd)}</span>}
            <time dateTime={call.startedAt}>{clock(call.startedAt)}</time>
          </small>
        </summary>
        <Details call={call} />
      </details>
      {isOpen && call.text && <p className="stream">{readWords(call.text).slice(-LIVE_CHARS)}</p>}
      {patch && !isUndone && state.ended_at === null && <Undo runId={state.run_id} patch={patch} />}
    </div>
  );
});

/** What an answer says so far: of JSON its texts, without their names and what holds them together. */
function readWords(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  const said = text.matchAll(/"((?:[^"\\]|\\.)*)(?:"(?!\s*:)|$)/g);
  return [...said].map(([, words]) => words!.replace(/\\n/g, " ").replace(/\\(.)/g, "$1")).join(" ");
}

function useLine(call: Call): string {
  const { t } = useWords();
  const text = (name: string) => String(call.given[name] ?? "");
  const isDone = call.endedAt !== null;
  if (call.kind === "model") return `${call.name.replaceAll("_", " ")} ${t(isDone ? "work.answered" : "work.thinks")}`;
  const result = (call.result ?? {}) as Json;
  switch (call.name) {
    case "web_search": {
      const hits = Array.isArray(result["hits"]) ? result["hits"].length : 0;
      return isDone && !call.isError
        ? t("work.search.done", { query: text("query"), n: hits })
        : t("work.search", { query: text("query") });
    }
    case "fetch_url":
      return t(isDone && !call.isError ? "work.fetch.done" : "work.fetch", {
        page: String(result["title"] || text("url")),
      });
    case "update_report":
      return t(isDone && !call.isError ? "work.write.done" : "work.write", { section: text("section") });
    default:
      return call.name.replaceAll("_", " ");
  }
}

function Details({ call }: { call: Call }) {
  if (call.kind === "model") return <pre className="said-text">{call.text.slice(0, LONGEST_CHARS)}</pre>;
  const { plan_hash: _, ...given } = call.given;
  return (
    <div className="tool-details">
      <Readable value={given} />
      <pre className="said-text">{call.text.slice(0, LONGEST_CHARS)}</pre>
    </div>
  );
}

function Undo({ runId, patch }: { runId: string; patch: Patch }) {
  const { t } = useWords();
  const say = useProblemText();
  const undo = useMutation({ mutationFn: () => undoPatch(runId, patch.seq) });
  return (
    <>
      <button type="button" className="quiet undo" disabled={undo.isPending || undo.isSuccess} onClick={() => undo.mutate()}>
        {t("work.undo")}
      </button>
      {undo.error && (
        <small role="alert" className="bad">
          {say(undo.error)}
        </small>
      )}
    </>
  );
}
