import { useMutation } from "@tanstack/react-query";
import { memo, useMemo, useState } from "react";

import { undoPatch, type Json, type RunState } from "../api/client";
import { MoreBelow } from "../parts/more-below";
import { useProblemText } from "../parts/notices";
import { humanize, Readable } from "../parts/readable";
import type { Call, Patch } from "../run/run-log";
import { useWords } from "../strings";

const LIVE_CHARS = 280;

interface Given {
  call: Call;
  patch: Patch | undefined;
  isUndone: boolean;
  state: RunState;
}

/** One turn of an agent, or one call of a tool: what it is in a line, the rest when opened. */
export const CallRow = memo(function CallRow({ call, patch, isUndone, state }: Given) {
  const { t, clock, usd } = useWords();
  const [isUnfolded, setUnfolded] = useState(false);
  const isOpen = call.endedAt === null && state.ended_at === null;
  const line = useLine(call, isOpen);
  const about = tellApart(call, state);
  return (
    <div className="call" data-kind={call.kind} data-open={isOpen || undefined} data-error={call.isError || undefined}>
      <details onToggle={(event) => setUnfolded(event.currentTarget.open)}>
        <summary>
          <span className="line">
            {line}
            {about && <small> {about}</small>}
            {call.attempt > 1 && <small> {t("work.attempt", { n: call.attempt })}</small>}
            {call.isError && <small className="bad"> {t("work.failed")}</small>}
            {call.endedAt === null && !isOpen && <small className="bad"> {t("work.unfinished")}</small>}
            {isUndone && <small> {t("work.undone")}</small>}
          </span>
          <small className="aside">
            {call.usd > 0 && !state.offline && <span>{usd(call.usd)}</span>}
            <time dateTime={call.startedAt}>{clock(call.startedAt)}</time>
          </small>
        </summary>
        {isUnfolded && <Details call={call} />}
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

function useLine(call: Call, isOpen: boolean): string {
  const { t } = useWords();
  const text = (name: string) => String(call.given[name] ?? "");
  const isDone = call.endedAt !== null;
  if (call.kind === "model") {
    return [humanize(call.name), isDone ? t("work.answered") : isOpen && t("work.thinks")].filter(Boolean).join(" ");
  }
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
      return humanize(call.name);
  }
}

/** What tells a call from others of its name: where an agent spoke, or what a tool was given. */
function tellApart(call: Call, state: RunState): string {
  if (call.kind === "model") return state.phases.find(({ id }) => id === call.phaseId)?.title ?? "";
  const { title, expression, figures, add } = call.given;
  const [first] = [figures, add].flat().filter(Boolean) as Json[];
  return String(title ?? expression ?? first?.["row"] ?? first?.["text"] ?? "");
}

function Details({ call }: { call: Call }) {
  if (call.kind === "model") return <SaidText text={call.text} />;
  const { plan_hash: _, ...given } = call.given;
  return (
    <div className="tool-details">
      <Readable value={given} />
      <SaidText text={call.text} />
    </div>
  );
}

/** What was said, whole: JSON as what it holds; a long one scrolls. */
function SaidText({ text }: { text: string }) {
  const { t } = useWords();
  const value = useMemo(() => readJson(text), [text]);
  return (
    <div className="said-text scrolls" tabIndex={0} role="region" aria-label={t("work.said")}>
      {value ? <Readable value={value} /> : <pre>{text}</pre>}
      <MoreBelow />
    </div>
  );
}

/** Return the object or list that a text is the JSON of, or null. */
function readJson(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
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
