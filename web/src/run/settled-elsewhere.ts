import { useCallback, useEffect, useRef, useState } from "react";

import type { Checkpoint } from "../api/client";
import type { Key } from "../strings";
import type { RunLog } from "./run-log";

/** What was sent here to a checkpoint, until it is refused or has made the checkpoint ask anew. */
export interface Sent {
  checkpoint: Checkpoint;
  /** A changed plan: one that became dearer is asked about once more. */
  isChange: boolean;
}

/** Tell when what was asked here was settled by another tab, another person or its deadline. */
export function useSettledElsewhere(checkpoint: Checkpoint | undefined, log: RunLog) {
  const [text, setText] = useState<Key | null>(null);
  const [by, setBy] = useState("");
  const shown = useRef(checkpoint);
  const sent = useRef<Sent>(undefined);
  const id = checkpoint?.checkpoint_id;
  useEffect(() => {
    const before = shown.current;
    shown.current = checkpoint;
    if (!before || before.checkpoint_id === id) return;
    if (sent.current?.checkpoint.checkpoint_id === before.checkpoint_id) return;
    const decision = log.decisions.findLast((one) => one.checkpoint_id === before.checkpoint_id);
    setBy(decision?.by || "");
    setText(before.kind === "questions" ? "run.elsewhere.questions" : decision?.by ? "run.elsewhere.by" : "run.elsewhere.decision");
  }, [id]);
  const onSent = useCallback((now: Sent | undefined) => {
    sent.current = now;
    if (now) setText(null);
  }, []);
  /** Tell whether a change that was sent here did not settle a checkpoint: its plan is another now. */
  const isAskedAnew = ({ checkpoint_id, plan_hash }: Checkpoint) =>
    sent.current?.isChange === true &&
    sent.current.checkpoint.checkpoint_id === checkpoint_id &&
    sent.current.checkpoint.plan_hash !== plan_hash;
  return { text, by, onSent, isAskedAnew, close: () => setText(null) };
}
