import { useCallback, useEffect, useRef, useState } from "react";

import type { Held } from "../run-state/undoable-decision";
import { forgetDecision, keepDecision, mayArrive } from "./undoable-decision-storage";

/** How long a decision can be undone. */
const GRACE_MS = 6_000;
/** How soon the list of what waits knows of a decision that was sent. */
const ARRIVES_MS = 1_500;

/** Keep one decision back for a moment; it is sent when that is over, with the next one, or as one leaves. */
export function useHeld(onSent: () => unknown, onTakenBack: (held: Held) => void) {
  const [held, setHeld] = useState<Held | null>(null);
  const [hiddenId, setHiddenId] = useState("");
  const [failed, setFailed] = useState<{ held: Held; error: Error } | null>(null);
  const current = useRef<Held>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const told = useRef({ onSent, onTakenBack });
  useEffect(() => {
    told.current = { onSent, onTakenBack };
  });

  const take = useCallback(() => {
    clearTimeout(timer.current);
    const one = current.current;
    current.current = undefined;
    setHeld(null);
    return one;
  }, []);
  /** Send a decision; if it is refused, the run is shown as waiting again, with a message. */
  const post = useCallback(async (one: Held, isLeaving = false) => {
    const show = () => setHiddenId((id) => (id === one.runId ? "" : id));
    try {
      await one.send(isLeaving);
      forgetDecision(one.checkpointId);
      setTimeout(() => {
        show();
        told.current.onSent();
      }, ARRIVES_MS);
    } catch (error) {
      show();
      if (!mayArrive(error)) forgetDecision(one.checkpointId); // else the next opening of the page sends it
      told.current.onTakenBack(one);
      setFailed({ held: one, error: error as Error });
    }
  }, []);
  const flush = useCallback(
    (isLeaving = false) => {
      const one = take();
      if (one) void post(one, isLeaving); // kept until it has arrived: the page may be gone before
    },
    [take, post],
  );
  useEffect(() => {
    const leave = () => flush(true);
    // A hidden page may be ended without another word, as on a phone: it is the last moment that is sure.
    const hide = () => {
      if (document.hidden) leave();
    };
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", hide);
    return () => {
      removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", hide);
      flush();
    };
  }, [flush]);

  function hold(one: Held) {
    flush();
    setFailed(null);
    current.current = one;
    keepDecision(one);
    setHeld(one);
    setHiddenId(one.runId);
    timer.current = setTimeout(flush, GRACE_MS);
  }
  function undo() {
    const one = take();
    setHiddenId("");
    if (one) {
      forgetDecision(one.checkpointId);
      onTakenBack(one);
    }
    return one;
  }
  function retry() {
    if (!failed) return;
    setFailed(null);
    void post(failed.held);
  }
  return { held, hiddenId, failed, hold, undo, retry };
}
