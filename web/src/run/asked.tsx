import { lazy } from "react";

import type { RunState } from "../api/client";
import { withWords } from "../strings";
import type { useSettledElsewhere } from "./settled-elsewhere";

const ClarifyView = lazy(() => withWords(import("../clarify/clarify-view")));
const ApproveView = lazy(() => withWords(import("../approve/approve-view")));

interface Given {
  state: RunState;
  elsewhere: Pick<ReturnType<typeof useSettledElsewhere>, "isAskedAnew" | "onSent">;
}

/** What a run asks first of all: its questions, or a decision. */
export function Asked({ state, elsewhere }: Given) {
  const [checkpoint] = state.pending;
  if (!checkpoint) return null;
  if (checkpoint.kind === "questions") {
    return (
      <ClarifyView
        key={checkpoint.checkpoint_id}
        runId={state.run_id}
        checkpoint={checkpoint}
        said={state.answers[checkpoint.checkpoint_id] ?? {}}
        onSent={elsewhere.onSent}
      />
    );
  }
  return (
    <ApproveView
      key={`${checkpoint.checkpoint_id} ${checkpoint.plan_hash}`}
      state={state}
      checkpoint={checkpoint}
      isAskedAnew={elsewhere.isAskedAnew(checkpoint)}
      onSent={elsewhere.onSent}
    />
  );
}
