import { useCallback, useState } from "react";

import type { Checkpoint, RunState } from "../api/client";
import { Notice } from "../parts/notices";
import { hasRunEnded, type Sent } from "../run-state/outcome";
import { useWords } from "../strings";
import { findReason, type Reason } from "./settled-reason";

/** The first checkpoint of a run as it was last seen, and one that is gone until it is known why. */
interface Seen {
  shown: Checkpoint | undefined;
  gone?: Checkpoint;
}

/** Tell that a request was settled or changed by another tab, another person, its deadline or the run's end. */
export function useSettledElsewhere(state: RunState) {
  const checkpoint = state.pending[0];
  const [seen, setSeen] = useState<Seen>({ shown: checkpoint });
  const [reason, setReason] = useState<Reason | null>(null);
  const [sent, setSent] = useState<Sent>();
  const [isCancelledHere, setCancelledHere] = useState(false);
  const { shown, gone } = seen;
  const isSame = shown?.checkpoint_id === checkpoint?.checkpoint_id;
  const isChanged = isSame && shown?.plan_hash !== checkpoint?.plan_hash;
  const wasSent = (asked: Checkpoint | undefined) => sent?.checkpoint.checkpoint_id === asked?.checkpoint_id;
  if (!isSame) {
    setSeen({ shown: checkpoint, ...(shown ? { gone: shown } : {}) });
  } else if (isChanged) {
    setSeen({ ...seen, shown: checkpoint });
    if (!(sent?.isChange && wasSent(checkpoint))) setReason({ text: "run.elsewhere.changed" });
  } else if (gone) {
    const found = findReason(gone, state, hasRunEnded(state));
    if (found) setSeen({ shown });
    if (found && !isCancelledHere && !wasSent(gone)) setReason(found);
  }
  const onSent = useCallback((now: Sent | undefined) => {
    setSent(now);
    if (now) setReason(null);
  }, []);
  /** Whether a change sent here did not settle a checkpoint, because its plan has changed. */
  const isAskedAnew = (asked: Checkpoint) =>
    sent?.isChange === true && wasSent(asked) && sent.checkpoint.plan_hash !== asked.plan_hash;
  return { reason, onSent, onCancel: setCancelledHere, isAskedAnew, close: () => setReason(null) };
}

/** What is said, wherever a run asks, of a request that was settled elsewhere. */
export function SettledElsewhere({ reason, close }: Pick<ReturnType<typeof useSettledElsewhere>, "reason" | "close">) {
  const { t } = useWords();
  return (
    reason && (
      <Notice kind="wait" onClose={close}>
        {t(reason.text, { by: reason.by ?? "" })}
      </Notice>
    )
  );
}
