import { useQuery } from "@tanstack/react-query";
import { Suspense, useCallback, useEffect, useRef } from "react";
import { Link } from "wouter";

import { getState, type RunState } from "../api/client";
import { Clamped } from "../parts/text/clamped";
import { ErrorNotice, Loading } from "../parts/notices";
import { useWords, type Key } from "../strings";
import type { Sent } from "../run-state/outcome";
import { Asked } from "../run/asked";
import { PausedNotice } from "../run/paused-notice";
import { SettledElsewhere, useSettledElsewhere } from "../run/settled-elsewhere";

const LOOK_MS = 2_000;
/** How soon one sees that what was sent has arrived. */
const ARRIVES_MS = 400;

/** What was decided here. */
export interface Settled {
  runId: string;
  checkpointId: string;
  query: string;
  done: Key;
}

interface Given {
  id: string;
  /** Whether it follows another one that was decided here, and so gets the focus. */
  isNext: boolean;
  onSettled: (settled: Settled) => void;
}

/** One run that waits: its question, and what it asks. */
export function InboxItem({ id, isNext, onSettled }: Given) {
  const { t } = useWords();
  const sentRef = useRef<Sent>(undefined);
  const state = useQuery({
    queryKey: ["state", id],
    queryFn: () => getState(id),
    refetchInterval: () => (sentRef.current ? ARRIVES_MS : LOOK_MS),
  });
  if (state.error && !state.data) {
    return <ErrorNotice error={state.error} onRetry={() => void state.refetch()} />;
  }
  if (!state.data) return <Loading />;
  return (
    <div className="item stack">
      <p className="back">
        <Link href="/inbox">{t("inbox.back")}</Link>
      </p>
      <Item state={state.data} look={state.refetch} {...{ sentRef, isNext, onSettled }} />
    </div>
  );
}

interface ItemGiven extends Omit<Given, "id"> {
  state: RunState;
  sentRef: React.RefObject<Sent | undefined>;
  look: () => unknown;
}

function Item({ state, sentRef, look, isNext, onSettled }: ItemGiven) {
  const { t } = useWords();
  const { onSent: tell, ...elsewhere } = useSettledElsewhere(state);
  const head = useRef<HTMLDivElement>(null);
  const [checkpoint] = state.pending;
  useEffect(() => {
    if (isNext) head.current?.querySelector<HTMLElement>("h2")?.focus();
  }, [isNext]);
  useEffect(() => {
    const asked = sentRef.current?.checkpoint;
    if (!asked || asked.checkpoint_id === checkpoint?.checkpoint_id) return;
    sentRef.current = undefined;
    const { run_id: runId, query } = state;
    onSettled({ runId, checkpointId: asked.checkpoint_id, query, done: nameDone(state, asked.checkpoint_id) });
  }, [checkpoint, sentRef, state, onSettled]);
  const onSent = useCallback(
    (now: Sent | undefined) => {
      sentRef.current = now;
      tell(now);
      if (now) setTimeout(look, ARRIVES_MS);
    },
    [sentRef, tell, look],
  );
  return (
    <>
      <div ref={head}>
        <Clamped as="h2" className="asking-of" tabIndex={-1} text={state.query} />
        <p>
          <Link href={`/runs/${state.run_id}`}>{t("inbox.open")}</Link>
        </p>
      </div>
      <SettledElsewhere {...elsewhere} />
      <PausedNotice state={state} />
      {!checkpoint && !elsewhere.reason && <p className="muted">{t("inbox.nothing")}</p>}
      <Suspense fallback={<Loading />}>
        <Asked state={state} elsewhere={{ ...elsewhere, onSent }} />
      </Suspense>
    </>
  );
}

/** Return what was done at a checkpoint, in a word. */
function nameDone(state: RunState, checkpointId: string): Key {
  const decision = state.decisions.findLast((one) => one.checkpoint_id === checkpointId);
  return decision ? `decision.${decision.action}` : "inbox.answered";
}
