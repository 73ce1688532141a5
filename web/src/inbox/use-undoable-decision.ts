import { useCallback, useEffect, useRef, useState } from "react";

import type { Held } from "../run-state/undoable-decision-context";
import { forgetDecision, isKept, keepDecision, mayArrive, placeOf } from "./undoable-decision-storage";

/** How long a decision can be undone. */
const GRACE_MS = 6_000;
/** How soon the list of what waits knows of a decision that was sent. */
const ARRIVES_MS = 1_500;

/** A decision that could not be sent. */
interface Failed {
  held: Held;
  error: Error;
  /** It is sent later, unless it is discarded. */
  isKept: boolean;
}

/** Keep one decision back for a moment; it is sent when that is over, with the next one, or as one leaves. */
export function useHeld(onSent: () => unknown, onTakenBack: (held: Held) => void) {
  const [held, setHeld] = useState<Held | null>(null);
  const [hiddenId, setHiddenId] = useState("");
  const [failed, setFailed] = useState<Failed[]>([]);
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
      forgetDecision(one);
      setTimeout(() => {
        show();
        told.current.onSent();
      }, ARRIVES_MS);
    } catch (error) {
      show();
      if (!mayArrive(error)) forgetDecision(one); // else the next view or opening of the page sends it
      told.current.onTakenBack(one);
      setFailed((all) => [...all, { held: one, error: error as Error, isKept: isKept(one) }]);
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
    setFailed((all) => all.filter((each) => each.isKept && placeOf(each.held) !== placeOf(one)));
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
      forgetDecision(one);
      onTakenBack(one);
    }
    return one;
  }
  const drop = (one: Failed) => setFailed((all) => all.filter((each) => each !== one));
  function retry(one: Failed) {
    drop(one);
    void post(one.held);
  }
  function discard(one: Failed) {
    drop(one);
    forgetDecision(one.held);
  }
  return { held, hiddenId, failed, hold, undo, retry, discard };
}
