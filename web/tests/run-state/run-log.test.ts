import { expect, test } from "vitest";

import type { LoggedEvent } from "../../src/api/client";
import { isCall, RunLog } from "../../src/run-state/run-log";

let seq = 0;

/** Return an event of a phase, a minute after the one before. */
const event = (type: string, payload: object, more: object = {}) =>
  ({
    seq: ++seq,
    type,
    phase_id: "write",
    attempt: 1,
    at: `2026-01-01T00:${String(seq).padStart(2, "0")}:00Z`,
    payload,
    ...more,
  }) as unknown as LoggedEvent;

const fold = (...events: LoggedEvent[]) => {
  const log = new RunLog();
  for (const one of events) log.take(one);
  return log;
};

const CALL = { current_agent_name: "writer", call_id: "c1", round: 1 };

test("a phase is a span from its start to its end, with its waits closed", () => {
  const log = fold(
    event("step_start", {}),
    event("InputRequiredEvent", { message: "Go on?" }),
    event("step_complete", {}, { status: "completed" }),
  );
  const [span] = log.spans;
  expect(span).toMatchObject({ phaseId: "write", status: "completed" });
  expect(span!.to).not.toBeNull();
  expect(span!.waits.map((wait) => wait.to)).toEqual([span!.to]);
});

test("a phase that starts again ends what was open of it", () => {
  const log = fold(event("step_start", {}), event("step_start", {}, { attempt: 2 }));
  expect(log.spans.map((span) => span.to !== null)).toEqual([true, false]);
});

test("a stream is added to its call, and a retry drops what it had said", () => {
  const log = fold(
    event("AgentInput", CALL),
    event("AgentStream", { ...CALL, delta: "Hal" }),
    event("AgentStream", { ...CALL, delta: "lo" }),
  );
  const read = () => log.items.filter(isCall).map((call) => [call.text, call.attempt]);
  expect(read()).toEqual([["Hallo", 1]]);
  log.take(event("RetryEvent", { ...CALL, attempt: 2 }));
  expect(read()).toEqual([["", 2]]);
});

test("a call that is tried again stays one item, which its answer ends", () => {
  const log = fold(
    event("AgentInput", CALL),
    event("AgentStream", { ...CALL, delta: "Hal" }),
    event("RetryEvent", { ...CALL, attempt: 2 }),
    event("AgentInput", CALL),
    event("AgentStream", { ...CALL, delta: "Hallo" }),
    event("AgentOutput", { ...CALL, usd: 1, response: { blocks: [{ text: "Hallo!" }] } }),
  );
  expect(log.items.filter(isCall)).toMatchObject([{ text: "Hallo!", attempt: 2, usd: 1 }]);
  expect(log.items.filter(isCall).map(({ endedAt }) => endedAt === null)).toEqual([false]);
});

test("a tool that another worker calls again stays one item, as its second attempt", () => {
  const tool = { tool_id: "t1", tool_name: "fetch_url", tool_kwargs: { url: "https://example.org" } };
  const log = fold(
    event("ToolCall", tool),
    event("ToolCall", tool),
    event("ToolCallResult", { ...tool, tool_output: { raw_output: {}, is_error: false, content: "read" } }),
  );
  expect(log.items.filter(isCall)).toMatchObject([{ text: "read", attempt: 2 }]);
  expect(log.items.filter(isCall).map(({ endedAt }) => endedAt === null)).toEqual([false]);
});

test("what a burst of events brought is announced once", () => {
  const log = new RunLog();
  let calls = 0;
  log.subscribe(() => calls++);
  log.take(event("step_start", {}));
  log.take(event("step_complete", {}));
  expect(calls).toBe(0);
  log.show();
  expect([calls, log.version]).toEqual([1, 1]);
});

test("an item stands where its time is, though the run logs in batches", () => {
  const log = fold(
    event("AgentInput", CALL),
    event("Status", { level: "info", message: "before" }, { at: "2026-01-01T00:00:00Z" }),
  );
  expect(log.items.map(({ kind }) => kind)).toEqual(["notice", "model"]);
});

test("why a run failed is not said again behind the phase that failed", () => {
  const log = fold(
    event("Status", { level: "error", message: "Research: no key" }),
    event("error", { message: "no key" }),
  );
  expect(log.items).toHaveLength(1);
});
