import { useCallback, useEffect, useRef, useState } from "react";

import type { Checkpoint, RunState } from "../api/client";
import type { Sent } from "../run-state/outcome";
import type { Key } from "../strings";

/** Announce that a request was settled by another tab, another person, its deadline or the run's end. */
export function useDebouncedElsewhere(state: RunState, hasEnded: boolean) {
  const [text, setText] = useState<Key | null>(null);
  const [by, setBy] = useState("");
  const checkpoint = state.pending[0];
  const shown = useRef(checkpoint);
  /** A checkpoint that is gone, until it is known why. */
  const gone = useRef<Checkpoint>(undefined);
  const sent = useRef<Sent>(undefined);
  const isCancelledHere = useRef(false);
  const id = checkpoint?.checkpoint_id;
  useEffect(() => {
    if (shown.current?.checkpoint_id !== id) gone.current = shown.current;
    shown.current = checkpoint;
    if (!gone.current) return;
    const said = sayWhy(gone.current, state, hasEnded);
    if (!said) return;
    const isOwn = isCancelledHere.current || sent.current?.checkpoint.checkpoint_id === gone.current.checkpoint_id;
    gone.current = undefined;
    if (isOwn) return;
    setBy(said.by);
    setText(said.text);
  }, [id, checkpoint, state, hasEnded]);
  const onSent = useCallback((now: Sent | undefined) => {
    sent.current = now;
    if (now) setText(null);
  }, []);
  const onCancel = useCallback((isSent: boolean) => {
    isCancelledHere.current = isSent;
  }, []);
  /** Whether a change sent here did not settle a checkpoint, because its plan has changed. */
  const isAskedAnew = ({ checkpoint_id, plan_hash }: Checkpoint) =>
    sent.current?.isChange === true &&
    sent.current.checkpoint.checkpoint_id === checkpoint_id &&
    sent.current.checkpoint.plan_hash !== plan_hash;
  return { text, by, onSent, onCancel, isAskedAnew, close: () => setText(null) };
}

/** Return why a checkpoint asks no more: it was answered or decided, or the run has ended; null: not known yet. */
function sayWhy(
  { checkpoint_id, kind }: Checkpoint,
  state: RunState,
  hasEnded: boolean,
): { text: Key; by: string } | null {
  const decision = state.decisions.findLast((one) => one.checkpoint_id === checkpoint_id);
  if (decision) return { text: decision.by ? "run.elsewhere.by" : "run.elsewhere.decision", by: decision.by };
  if (kind === "questions" && checkpoint_id in state.answers) return { text: "run.elsewhere.questions", by: "" };
  if (state.status === "cancelled") return { text: "run.elsewhere.cancelled", by: "" };
  return hasEnded ? { text: "run.elsewhere.ended", by: "" } : null;
}
