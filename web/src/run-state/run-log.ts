/** A run's events, folded as they come into what views show. */

import { useEffect, useState, useSyncExternalStore } from "react";

import type { AgentEvent, EventOf, HumanResponse, LoggedEvent, Notice, Status, ToolCall } from "../api/client";
import { followRun, type Connection } from "../api/events";
import { readField, readList, readText } from "../api/json";
import { pick } from "../parts/pick";

/** One call of a model, or of a tool, from its beginning to its end. */
export interface Call {
  key: string;
  seq: number;
  kind: "model" | "tool";
  /** The agent's role, or the tool's name. */
  name: string;
  phaseId: string;
  step: string | null;
  startedAt: string;
  endedAt: string | null;
  text: string;
  /** What a tool was given; of a model nothing. */
  given: ToolCall["tool_kwargs"];
  result: unknown;
  usd: number;
  attempt: number;
  isError: boolean;
  /** Why a tool failed, where that is a notice. */
  failure: Notice | null;
}

type Coded = Pick<Notice, "code" | "params">;

/** A message to or from a human. */
export interface Word {
  key: string;
  seq: number;
  kind: "notice" | "warning" | "error" | "asked" | "answered" | "refused" | "told";
  phaseId: string | null;
  at: string;
  text: string;
  /** Why a sentence was taken out. */
  doubts: Coded[];
  by: string;
  /** The event that says it. */
  event: LoggedEvent;
}

/** From a moment to another, or until now. */
export interface Stretch {
  from: string;
  to: string | null;
}

/** A stay of a phase: from a start to an end. */
export interface Span extends Stretch {
  phaseId: string;
  attempt: number;
  status: string;
  waits: Stretch[];
}

/** A change of the living report. */
export interface Patch {
  seq: number;
  phaseId: string;
  number: number;
  section: string;
  reason: string;
  undoes: number | null;
  by: string;
  at: string;
}

/** A page as it was read. */
export interface ReadPage {
  url: string;
  title: string;
  publisher: string;
  published: string | null;
  at: string;
}

export type Item = Call | Word;

export const isCall = (item: Item): item is Call => item.kind === "model" || item.kind === "tool";

/** The log; rarely changing parts are replaced when they change, so that views detect it. */
export class RunLog {
  seq = 0;
  items: Item[] = [];
  spans: Span[] = [];
  pauses: Stretch[] = [];
  patches: Patch[] = [];
  /** By call. */
  readonly patchOf = new Map<string, Patch>();
  pages: ReadPage[] = [];
  /** What searches call the pages that they found, by address. */
  readonly titles = new Map<string, string>();
  usd = 0;
  connection: Connection = "connecting";
  /** Changes with every batch of events: what a view compares. */
  version = 0;
  private isMilestone = false;
  private onMilestone: () => void = () => undefined;
  private readonly open = new Map<string, Call>();
  private readonly listeners = new Set<() => void>();

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  getVersion = () => this.version;

  /** Follow a run's events; call `onMilestone` when its state may have changed. Returns a function that stops. */
  follow(runId: string, onMilestone: () => void): () => void {
    this.onMilestone = onMilestone;
    return followRun(runId, this.seq, this);
  }

  /** Draw what was taken since the last time. */
  show() {
    this.announce();
    if (this.isMilestone) this.onMilestone();
    this.isMilestone = false;
  }

  setConnection(connection: Connection) {
    this.connection = connection;
    this.announce();
    if (connection === "open") this.onMilestone();
  }

  private announce() {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }

  take(event: LoggedEvent) {
    this.seq = event.seq;
    this.isMilestone ||= MILESTONES.has(event.type);
    switch (event.type) {
      case "step_start":
        return this.beginSpan(event);
      case "step_complete":
        return this.endSpan(event);
      case "AgentInput":
        return this.begin(event, "model", event.payload.current_agent_name, callKey(event, event.payload));
      case "AgentStream":
        return this.addText(callKey(event, event.payload), event.payload.delta);
      case "RetryEvent":
        return this.retry(callKey(event, event.payload), event.payload.attempt);
      case "AgentOutput":
        return this.endModel(event);
      case "ToolCall":
        return this.beginTool(event, event.payload);
      case "ToolCallResult":
        return this.endTool(event);
      case "Status":
        return this.say(event, WORD_OF_LEVEL[event.payload.level], event.payload.message);
      case "error":
        return this.sayOnce(event, event.payload.message);
      case "InputRequiredEvent":
        this.beginWait(event);
        return this.say(event, "asked", event.payload.message);
      case "HumanResponseEvent":
        return this.hear(event, event.payload);
      case "ReportChecked":
        return this.listChecks(event);
      default:
        return undefined;
    }
  }

  private spanOf(phaseId: string | null | undefined): Span | undefined {
    return this.spans.findLast((span) => span.phaseId === phaseId && span.to === null);
  }

  private beginSpan(event: LoggedEvent) {
    const phaseId = event.phase_id ?? "";
    const attempt = event.attempt;
    this.endSpans(phaseId, event.at);
    const span: Span = { phaseId, attempt, from: event.at, to: null, status: "running", waits: [] };
    this.spans = [...this.spans, span];
  }

  private beginWait(event: LoggedEvent) {
    const span = this.spanOf(event.phase_id);
    if (span) this.changeSpan(span, { waits: [...span.waits, { from: event.at, to: null }] });
  }

  private endSpan(event: LoggedEvent) {
    const span = this.spanOf(event.phase_id);
    if (!span) return;
    const waits = span.waits.map((wait) => ({ ...wait, to: wait.to ?? event.at }));
    this.changeSpan(span, { to: event.at, status: event.status ?? "completed", waits });
  }

  /** End a phase's open spans: it restarts, or was sent back. */
  private endSpans(phaseId: string, at: string) {
    for (const span of this.spans.filter((one) => one.phaseId === phaseId && one.to === null)) {
      this.changeSpan(span, {
        to: at,
        status: "completed",
        waits: span.waits.map((wait) => ({ ...wait, to: wait.to ?? at })),
      });
    }
  }

  private changeSpan(span: Span, change: Partial<Span>) {
    this.spans = this.spans.map((one) => (one === span ? { ...span, ...change } : one));
  }

  private beginTool(event: LoggedEvent, call: ToolCall) {
    this.begin(event, "tool", call.tool_name, toolKey(event, call), call.tool_kwargs);
  }

  /** Begin a call; one that is open under its key begins again, as after a worker's death. A retry of a tool has no event. */
  private begin(event: LoggedEvent, kind: Call["kind"], name: string, key: string, given: Call["given"] = {}) {
    const attempts = kind === "tool" ? 1 : 0;
    if (this.change(key, (call) => ({ ...call, text: "", given, attempt: call.attempt + attempts }))) return;
    const call: Call = {
      key: `${key}@${event.seq}`,
      seq: event.seq,
      kind,
      name,
      phaseId: event.phase_id ?? "",
      step: event.plan_step ?? null,
      startedAt: event.at,
      endedAt: null,
      text: "",
      given,
      result: null,
      usd: 0,
      attempt: 1,
      isError: false,
      failure: null,
    };
    this.open.set(key, call);
    this.items.splice(this.findPlace(event.at), 0, call);
  }

  private addText(key: string, delta: string) {
    this.change(key, (call) => ({ ...call, text: call.text + delta }));
  }

  /** A retried call starts again, so its text so far is void. */
  private retry(key: string, attempt: number) {
    this.change(key, (call) => ({ ...call, text: "", attempt }));
  }

  private endModel(event: EventOf<"AgentOutput">) {
    const { payload } = event;
    const { usd } = payload;
    const said = payload.response.blocks.map((block) => block.text).join("\n");
    this.usd += usd;
    this.end(callKey(event, payload), (call) => ({ ...call, endedAt: event.at, usd, text: said }));
  }

  private endTool(event: EventOf<"ToolCallResult">) {
    const { raw_output: result, is_error: isError, content, notice: failure = null } = event.payload.tool_output;
    const key = toolKey(event, event.payload);
    if (!this.open.has(key)) this.beginTool(event, event.payload);
    const made = this.open.get(key)!.key;
    this.end(key, (call) => ({ ...call, endedAt: event.at, result, isError, failure, text: content }));
    if (isError) return;
    for (const hit of readList(result, "hits")) this.titles.set(readText(hit, "url"), readText(hit, "title"));
    if (event.payload.tool_name === "fetch_url" && readText(result, "url")) this.addPage(result, event.at);
    const patch = readField(result, "patch");
    if (patch) {
      const change: Patch = {
        seq: event.seq,
        phaseId: event.phase_id ?? "",
        number: Number(readField(patch, "number")),
        section: readText(patch, "section"),
        reason: readText(patch, "reason"),
        undoes: Number(readField(patch, "undoes")) || null,
        by: readText(patch, "by"),
        at: event.at,
      };
      this.patches = [...this.patches, change];
      this.patchOf.set(made, change);
    }
  }

  private addPage(page: unknown, at: string) {
    const url = readText(page, "url");
    if (this.pages.some((one) => one.url === url)) return;
    const published = readText(page, "published") || null;
    const read = { url, title: readText(page, "title") || url, publisher: readText(page, "publisher"), published, at };
    this.pages = [...this.pages, read];
  }

  private hear(event: LoggedEvent, said: HumanResponse) {
    if ("answers" in said || "action" in said) {
      const span = this.spanOf(event.phase_id);
      const waits = span?.waits.map((wait) => ({ ...wait, to: wait.to ?? event.at }));
      if (span && waits) this.changeSpan(span, { waits });
      if ("action" in said && said.action === "revise") this.endSpans(event.phase_id ?? "", event.at);
    }
    if ("paused" in said) {
      this.pauses = said.paused
        ? [...this.pauses, { from: event.at, to: null }]
        : this.pauses.map((one) => ({ ...one, to: one.to ?? event.at }));
    }
    this.say(event, "answered", "");
  }

  /** List each sentence that checks took out of a report, and each line of what was not found. */
  private listChecks(event: EventOf<"ReportChecked">) {
    for (const [n, one] of event.payload.refused.entries()) {
      const doubts = one.claim.doubts.map(({ code, params }) => ({ code: `doubt-${code}`, params }));
      this.say(event, "refused", one.claim.text, `-${n}`, doubts);
    }
    const told = event.payload.gaps.filter(({ verdict }) => verdict === "told");
    for (const [n, gap] of told.entries()) this.say(event, "told", gap.line, `-gap-${n}`);
  }

  private say(event: LoggedEvent, kind: Word["kind"], said: string, part = "", doubts: Coded[] = []) {
    this.items.splice(this.findPlace(event.at), 0, {
      key: `said@${event.seq}${part}`,
      seq: event.seq,
      kind,
      phaseId: event.phase_id ?? null,
      at: event.at,
      text: said,
      doubts,
      by: "by" in event.payload ? event.payload.by : "",
      event,
    });
  }

  /** Log why a run failed, unless the failed phase's message is the last one. */
  private sayOnce(event: LoggedEvent, said: string) {
    if (this.items.at(-1)?.kind !== "error") this.say(event, "error", said);
  }

  /** Return the position for a time: agents log at once, the run in batches. */
  private findPlace(at: string): number {
    let place = this.items.length;
    while (place > 0 && timeOf(pick(this.items, place - 1)) > at) place--;
    return place;
  }

  /** Replace a call that goes on, so that only what shows it is drawn again. */
  private change(key: string, update: (call: Call) => Call): Call | undefined {
    const call = this.open.get(key);
    if (!call) return undefined;
    const changed = update(call);
    this.open.set(key, changed);
    const at = this.items.lastIndexOf(call);
    if (at >= 0) this.items[at] = changed;
    return changed;
  }

  private end(key: string, update: (call: Call) => Call) {
    this.change(key, update);
    this.open.delete(key);
  }
}

const timeOf = (item: Item) => (isCall(item) ? item.startedAt : item.at);

const WORD_OF_LEVEL = { info: "notice", warning: "warning", error: "error" } as const satisfies Record<
  Status["level"],
  Word["kind"]
>;

const callKey = (event: LoggedEvent, agent: AgentEvent) =>
  `${event.phase_id}/${event.attempt}/${event.plan_step ?? ""}/${agent.call}/${agent.current_agent_name}`;

const toolKey = (event: LoggedEvent, call: ToolCall) =>
  `${event.phase_id}/${event.attempt}/${event.plan_step ?? ""}/${call.tool_id}`;

/** Follow a run for as long as a view shows it. */
export function useRunLog(runId: string, onMilestone: () => void): RunLog {
  const [log] = useState(() => new RunLog());
  useEffect(() => log.follow(runId, onMilestone), [runId, log, onMilestone]);
  useSyncExternalStore(log.subscribe, log.getVersion);
  return log;
}

/** Events that change the run's state. */
const MILESTONES = new Set<LoggedEvent["type"]>([
  "step_start",
  "step_complete",
  "workflow_complete",
  "error",
  "InputRequiredEvent",
  "HumanResponseEvent",
  "AgentOutput",
]);
