import { useMutation } from "@tanstack/react-query";
import { memo, useMemo, useState, type ReactNode } from "react";

import { undoPatch, type RunState } from "../api/client";
import { readField, readList, readText } from "../api/json";
import { MoreBelow } from "../parts/scrolling/more-below";
import { useProblemText } from "../parts/notices";
import { humanize } from "../parts/text/humanize";
import { nameAgent } from "../parts/text/name-agent";
import { Readable } from "../parts/text/readable";
import type { Call, Patch } from "../run-state/run-log";
import { useWords, type Key } from "../strings";
import { readSentences } from "./streamed-sentences";
import { Facts } from "../parts/text/facts";

const LIVE_CHARS = 280;

interface Given {
  call: Call;
  patch: Patch | undefined;
  isUndone: boolean;
  state: RunState;
  /** Title of the page being read, if a search has returned it. */
  title: string | undefined;
  /** The keys of the rows that are open, which each row keeps up to date. */
  unfolded: Set<string>;
}

/** One turn of an agent, or one call of a tool: what it is in a line, the rest when opened. */
export const CallRow = memo(function CallRow({ call, patch, isUndone, state, title, unfolded }: Given) {
  const { t, clock, usd } = useWords();
  const [isUnfolded, setUnfolded] = useState(unfolded.has(call.key));
  const isOpen = call.endedAt === null && state.ended_at === null;
  const line = useLine(call, isOpen, title);
  const about = tellApart(call, state);
  const words = isOpen && readSentences(call.text);

  function toggle(isOpened: boolean) {
    setUnfolded(isOpened);
    if (isOpened) unfolded.add(call.key);
    else unfolded.delete(call.key);
  }

  return (
    <div className="call" data-kind={call.kind} data-open={isOpen || undefined} data-error={call.isError || undefined}>
      <Row {...(hasMore(call) && { isUnfolded, onToggle: toggle, details: <Details call={call} /> })}>
        <span className="line">
          {line}
          {about && <small> {about}</small>}
          {call.attempt > 1 && <small> {t("work.attempt", { n: call.attempt })}</small>}
          {call.isError && <small className="danger"> {t("work.failed")}</small>}
          {call.endedAt === null && !isOpen && <small className="danger"> {t("work.unfinished")}</small>}
          {isUndone && <small> {t("work.undone")}</small>}
        </span>
        <small className="at figure">
          {call.usd > 0 && !state.offline && <span>{usd(call.usd)}</span>}
          <time dateTime={call.startedAt}>{clock(call.startedAt)}</time>
        </small>
      </Row>
      {words && <p className="stream">{words.slice(-LIVE_CHARS)}</p>}
      {patch && !isUndone && !isRuling(call) && state.ended_at === null && <Undo runId={state.run_id} patch={patch} />}
    </div>
  );
});

interface RowGiven {
  isUnfolded?: boolean;
  onToggle?: (isOpened: boolean) => void;
  /** Undefined: there is nothing to open. */
  details?: ReactNode;
  children: ReactNode;
}

/** A row's line, and what it opens to, if there is anything. */
function Row({ isUnfolded = false, onToggle, details, children }: RowGiven) {
  if (!details) return <div className="call-head">{children}</div>;
  return (
    <details open={isUnfolded} onToggle={(event) => onToggle?.(event.currentTarget.open)}>
      <summary className="call-head">{children}</summary>
      {isUnfolded && details}
    </details>
  );
}

/** Whether a call has details beyond its line. */
const hasMore = ({ kind, given, text, result }: Call) =>
  text.trim() !== "" || (kind === "tool" && (Boolean(result) || Object.keys(given).length > 0));

/** What a call that goes on does. */
export function CallLine({ call, title }: { call: Call; title: string | undefined }) {
  return useLine(call, true, title);
}

function useLine(call: Call, isOpen: boolean, title = ""): string {
  const { t, say } = useWords();
  const text = (name: string) => readText(call.given, name);
  const isDone = call.endedAt !== null;
  if (call.kind === "model") {
    const role = say({ code: `role-${call.name}` }, nameAgent(call.name, say));
    return [role, isDone ? t("work.answered") : isOpen && t("work.thinks")].filter(Boolean).join(" ");
  }
  switch (call.name) {
    case "web_search": {
      return isDone && !call.isError
        ? t("work.search.done", { query: text("query"), n: findHits(call)?.length ?? 0 })
        : t("work.search", { query: text("query") });
    }
    case "fetch_url":
      return t(isDone && !call.isError ? "work.fetch.done" : "work.fetch", {
        page: readText(call.result, "title") || title || nameAddress(text("url")),
      });
    case "parse_content":
      return t(isDone && !call.isError ? "work.open.done" : "work.open", { page: text("name").trim() });
    case "update_report":
      if (isRuling(call)) {
        const { checked, taken_out: gone } = call.given;
        return t("work.checked", { section: text("section"), n: Number(checked), gone: Number(gone) || undefined });
      }
      return t(isDone && !call.isError ? "work.write.done" : "work.write", { section: text("section") });
    case "decompose_query":
      return t(isDone && !call.isError ? "work.decompose.done" : "work.decompose");
    default:
      return [text("server"), text("tool")].filter(Boolean).join(": ") || humanize(call.name);
  }
}

/** Whether a change of the report gives sentences the judge's verdicts. */
function isRuling({ given }: Call): boolean {
  return "checked" in given;
}

/** A page by its host; one of the machine itself, which no host names, by the end of its address. */
function nameAddress(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return (!isHere && url.hostname) || decodeURI(url.pathname).split("/").findLast(Boolean) || address;
}

/** Text that distinguishes calls with the same name: an agent's phase, or a tool's arguments. */
function tellApart(call: Call, state: RunState): string {
  if (call.kind === "model") return state.phases.find(({ id }) => id === call.phaseId)?.title ?? "";
  const { given } = call;
  if (call.name === "parse_content")
    return String(given["about"] || given["find"] || given["section"] || given["page"] || "");
  const [first] = [...readList(given, "figures"), ...readList(given, "add")];
  return String(given["title"] ?? given["expression"] ?? readField(first, "row") ?? readField(first, "text") ?? "");
}

function Details({ call }: { call: Call }) {
  const { say } = useWords();
  if (call.kind === "model") return <SaidText text={call.text} />;
  const hits = findHits(call);
  if (hits) return <Hits hits={hits} />;
  const { plan_hash: _, ...given } = call.given;
  return (
    <div className="tool-details stack">
      <Readable value={given} />
      {call.text ? (
        <SaidText text={call.failure ? say(call.failure) : call.text} />
      ) : (
        <Said>
          <Readable value={call.result} />
        </Said>
      )}
    </div>
  );
}

/** What a search found, or null where a call is no search, or found nothing. */
function findHits({ name, result, isError }: Call): unknown[] | null {
  if (name !== "web_search" || isError) return null;
  const found = [...readList(result, "hits"), ...readList(result, "repeated")];
  return found.length > 0 ? found : null;
}

/** The readable fields of each hit; the search's line contains the rest. */
function Hits({ hits }: { hits: unknown[] }) {
  const { t } = useWords();
  return (
    <Said of="list.hits">
      <ol className="hits stack">
        {hits.map((hit, n) => (
          <li key={n}>
            <b>{readText(hit, "title")}</b>
            <small>
              <Facts of={[readText(hit, "url"), readText(hit, "published")]} />
            </small>
            {readText(hit, "snippet")}
            {readList(hit, "passages").map((passage, at) => (
              <span key={at}>
                {Number(readField(passage, "page")) > 0 && (
                  <small>{t("hit.page", { n: Number(readField(passage, "page")) })} </small>
                )}
                {readText(passage, "text")}
              </span>
            ))}
          </li>
        ))}
      </ol>
    </Said>
  );
}

/** The whole text; JSON is shown as its content. */
function SaidText({ text }: { text: string }) {
  const value = useMemo(() => readJson(text), [text]);
  return <Said>{value ? <Readable value={value} /> : <pre>{text}</pre>}</Said>;
}

/** What is long scrolls. */
function Said({ of, children }: { of?: Key; children: ReactNode }) {
  const { t } = useWords();
  return (
    <div className="said-text scrolls" tabIndex={0} role="region" aria-label={t("work.said")}>
      {children}
      <MoreBelow {...(of && { of })} items=".hits > li" />
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
      <button type="button" className="quiet" disabled={undo.isPending || undo.isSuccess} onClick={() => undo.mutate()}>
        {t("work.undo")}
      </button>
      {undo.error && (
        <small role="alert" className="danger">
          {say(undo.error)}
        </small>
      )}
    </>
  );
}
