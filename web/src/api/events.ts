/** A run's event log as it grows: no event is lost or repeated, across connection failures. */

import type { EventType, LoggedEvent } from "./client";

const TYPES: Record<EventType, true> = {
  step_start: true,
  step_complete: true,
  workflow_complete: true,
  error: true,
  AgentInput: true,
  AgentOutput: true,
  AgentStream: true,
  ToolCall: true,
  ToolCallResult: true,
  StopEvent: true,
  WorkflowCancelledEvent: true,
  Status: true,
  InputRequiredEvent: true,
  HumanResponseEvent: true,
  RetryEvent: true,
  ReportChecked: true,
};

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** Events of a burst are shown together. */
const SHOW_MS = 60;

export type Connection = "connecting" | "open" | "lost" | "resting" | "ended";

export interface Follower {
  take: (event: LoggedEvent) => void;
  /** Draw what was taken. */
  show: () => void;
  setConnection: (connection: Connection) => void;
}

/**
 * Follows a run from the event after `seq`. A hidden tab rests, since a browser has six connections
 * to a host; it goes on where it was. Returns what stops it.
 */
export function followRun(runId: string, seq: number, follower: Follower): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let delay = FIRST_DELAY_MS;
  let last = seq;
  let ended = false;
  let isShowing = false;
  let shownAt = 0;

  function show() {
    isShowing = false;
    shownAt = performance.now();
    follower.show();
    if (ended) follower.setConnection("ended");
  }

  function read(message: Event) {
    if (!(message instanceof MessageEvent)) return; // an error of the connection
    const event = JSON.parse(message.data as string) as LoggedEvent;
    if (event.seq <= last) return;
    last = event.seq;
    ended = event.type === "workflow_complete";
    if (ended) close();
    follower.take(event);
    if (isShowing) return;
    isShowing = true;
    setTimeout(show, Math.max(0, SHOW_MS - (performance.now() - shownAt)));
  }

  function open() {
    close();
    if (ended || document.hidden) return;
    follower.setConnection("connecting");
    source = new EventSource(`/v1/runs/${encodeURIComponent(runId)}/stream?markdown=false&after=${last}`);
    source.onopen = () => {
      delay = FIRST_DELAY_MS;
      follower.setConnection("open");
    };
    source.onerror = (failure) => {
      if (failure instanceof MessageEvent) return; // the run's own event of that name
      close();
      follower.setConnection("lost");
      retry = setTimeout(open, delay);
      delay = Math.min(delay * 2, LONGEST_DELAY_MS);
    };
    for (const type of Object.keys(TYPES)) source.addEventListener(type, read);
  }

  function close() {
    clearTimeout(retry);
    source?.close();
    source = null;
  }

  function onVisibility() {
    if (ended) return;
    if (!document.hidden) return open();
    close();
    follower.setConnection("resting");
  }

  document.addEventListener("visibilitychange", onVisibility);
  window.addEventListener("online", open);
  open();
  return () => {
    ended = true;
    close();
    document.removeEventListener("visibilitychange", onVisibility);
    window.removeEventListener("online", open);
  };
}
