import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";

import { decide, type Checkpoint, type Decide, type RunState } from "../api/client";
import type { Sent } from "../run-state/outcome";

interface Given {
  state: RunState;
  checkpoint: Checkpoint;
  /** Whether an approval also keeps the plan as a startup; null: that is not offered. */
  keeps: boolean | null;
  onSent: (sent: Sent | undefined) => void;
  onDone: () => void;
}

/** Sends a decision once: a second press comes before the buttons are drawn as disabled. */
export function useDecision({ state, checkpoint, keeps, onSent, onDone }: Given) {
  const isSending = useRef(false);
  const { checkpoint_id, plan_hash } = checkpoint;
  const send = useMutation({
    mutationFn: (decision: Decide) =>
      decide(state.run_id, {
        checkpoint_id,
        ...(plan_hash ? { plan_hash } : {}),
        ...(keeps !== null && (decision.action === "approve" || decision.action === "modify")
          ? { keep_startup: keeps }
          : {}),
        ...decision,
      }),
    onMutate: ({ action }) => onSent({ checkpoint, isChange: action === "modify" }),
    onError: () => onSent(undefined),
    onSettled: () => {
      isSending.current = false;
    },
    onSuccess: onDone,
  });
  return {
    isPending: send.isPending,
    error: send.error,
    decide: (decision: Decide) => {
      if (isSending.current) return;
      isSending.current = true;
      send.mutate(decision);
    },
  };
}
