import { useMutation } from "@tanstack/react-query";
import { useContext, useRef } from "react";

import { decide, type Checkpoint, type Decide, type RunState } from "../api/client";
import { useTakenUp } from "../parts/hooks/taken-up";
import { HoldContext } from "../run-state/undoable-decision-context";
import type { Sent } from "../run-state/outcome";

interface Given {
  state: RunState;
  checkpoint: Checkpoint;
  /** Whether an approval also keeps the plan as a startup; null: that is not offered. */
  keeps: boolean | null;
  onSent: (sent: Sent | undefined) => void;
  onDone: () => void;
}

/**
 * Sends a decision once: a second press comes before the buttons are drawn as disabled. Where decisions are
 * held for a moment it is handed on, but for a changed plan: its price may have to be approved again. Once accepted it
 * is awaited until the checkpoint has changed by it.
 */
export function useDecision({ state, checkpoint, keeps, onSent, onDone }: Given) {
  const isSending = useRef(false);
  const { checkpoint_id, plan_hash } = checkpoint;
  const hold = useContext(HoldContext);
  const [isAwaited, setAccepted] = useTakenUp(checkpoint);
  const complete = (decision: Decide): Decide => ({
    checkpoint_id,
    ...(plan_hash ? { plan_hash } : {}),
    ...(keeps !== null && (decision.action === "approve" || decision.action === "modify")
      ? { keep_startup: keeps }
      : {}),
    ...decision,
  });
  const send = useMutation({
    mutationFn: (decision: Decide) => decide(state.run_id, complete(decision)),
    onMutate: ({ action }) => onSent({ checkpoint, isChange: action === "modify" }),
    onError: () => onSent(undefined),
    onSettled: () => {
      isSending.current = false;
    },
    onSuccess: () => {
      setAccepted();
      onDone();
    },
  });
  return {
    isPending: send.isPending || isAwaited,
    error: send.error,
    decide: (decision: Decide) => {
      if (isSending.current) return;
      isSending.current = true;
      if (!hold || !decision.action || decision.action === "modify") {
        send.mutate(decision);
        return;
      }
      hold({
        runId: state.run_id,
        query: state.query,
        checkpointId: checkpoint_id,
        action: decision.action,
        decision: complete(decision),
        send: (isLeaving) => decide(state.run_id, complete(decision), isLeaving).then(onDone),
      });
    },
  };
}
