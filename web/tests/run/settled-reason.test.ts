import { expect, test } from "vitest";

import type { Checkpoint, RunState } from "../../src/api/client";
import { findReason } from "../../src/run/settled-reason";

const asked = { checkpoint_id: "c-1", phase_id: "c", kind: "decision" } as Checkpoint;
const questions = { ...asked, kind: "questions" } as Checkpoint;
const state = { decisions: [], answers: {}, phases: [{ id: "c", notices: [] }], status: "running" };
const find = (checkpoint: Checkpoint, changes: object) =>
  findReason(checkpoint, { ...state, ...changes } as unknown as RunState, false);
const decide = (more: object) => ({ decisions: [{ checkpoint_id: "c-1", action: "approve", by: "ana", ...more }] });

test("a decision is said to be somebody's, nobody's in particular, its deadline's or an opened budget's", () => {
  expect(find(asked, {})).toBeNull();
  expect(find(asked, decide({}))).toEqual({ text: "run.elsewhere.by", by: "ana" });
  expect(find(asked, decide({ by: "" }))).toEqual({ text: "run.elsewhere.decision" });
  expect(find(asked, decide({ by: "timeout", default: true }))).toEqual({ text: "run.elsewhere.deadline" });
  const opened = decide({ by: "timeout", default: true, choice: "continue" });
  expect(find(asked, opened)).toEqual({ text: "run.elsewhere.opened" });
});

test("questions that nobody answered in time are not said to be answered", () => {
  const answers = { "c-1": { when: null } };
  expect(find(questions, { answers })).toEqual({ text: "run.elsewhere.questions" });
  const phases = [{ id: "c", notices: [{ code: "timed-out-answers" }] }];
  expect(find(questions, { answers, phases })).toEqual({ text: "run.elsewhere.late" });
});

test("a run that was cancelled or ended asks no more", () => {
  expect(find(asked, { status: "cancelled" })).toEqual({ text: "run.elsewhere.cancelled" });
  expect(findReason(asked, { ...state, status: "failed" } as unknown as RunState, true)).toEqual({
    text: "run.elsewhere.ended",
  });
});
