/** Sends a decision that has not arrived yet, if what it is about is as it was, and says so. */

import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";

import { decide, getState, Problem } from "../api/client";
import { Notice, useProblemText } from "../parts/notices";
import { useWords } from "../strings";
import { forgetDecision, keepDecision, listKept, mayArrive, type Kept } from "./undoable-decision-storage";

/** How soon it is tried again while the gateway is away. */
const AGAIN_MS = 15_000;
/** Within this time, a live tab has sent its delayed decision. */
const OWNER_DONE_MS = 12_000;

/** The run or its checkpoint is gone, or was decided. */
const MOOT = [404, 409];

interface Outcome {
  /** `delivered`: it had arrived before, though no answer was heard. */
  is: "sent" | "delivered" | "changed" | "failed" | "refused";
  error?: Error;
}

export default function KeptDecision() {
  const { t } = useWords();
  const describe = useProblemText();
  const isInbox = useLocation()[0].startsWith("/inbox");
  const discarded = useRef(new Set<number>());
  const [found, setFound] = useState<{ kept: Kept; outcome: Outcome }[]>([]);
  const close = ({ at }: Kept) => setFound((all) => all.filter(({ kept }) => kept.at !== at));
  useEffect(() => {
    const timers = new Set<ReturnType<typeof setTimeout>>();
    function attempt(first: Kept, wait: number) {
      const timer = setTimeout(() => {
        const kept = listKept().find(({ at }) => at === first.at);
        if (!kept) return close(first); // its tab has sent it, or it was undone, discarded or made again
        void send(kept).then((outcome) => {
          if (outcome.is === "failed" && discarded.current.has(kept.at)) return forget(kept);
          setFound((all) => [...all.filter((one) => one.kept.at !== kept.at), { kept, outcome }]);
          if (outcome.is === "failed") attempt(kept, AGAIN_MS);
        });
      }, wait);
      timers.add(timer);
    }
    for (const kept of listKept()) attempt(kept, Math.max(kept.at + OWNER_DONE_MS - Date.now(), 0));
    return () => timers.forEach(clearTimeout);
  }, [isInbox]); // on leaving the inbox, those that it could not send are here too
  function discard(kept: Kept) {
    discarded.current.add(kept.at);
    forget(kept);
    close(kept);
  }
  return found.map(
    ({ kept, outcome }) =>
      outcome.is !== "delivered" && (
        <Notice
          key={kept.at}
          kind={outcome.is === "sent" ? "info" : "wait"}
          onClose={outcome.is === "failed" ? undefined : () => close(kept)}
        >
          <p>
            {t(`inbox.kept.${outcome.is}`, {
              query: kept.query,
              done: t(`decision.${kept.decision.action ?? "approve"}`),
              why: outcome.error ? describe(outcome.error) : "",
            })}{" "}
            <Link href={`/runs/${kept.runId}`}>{t("inbox.open")}</Link>
          </p>
          {outcome.is === "failed" && (
            <button type="button" onClick={() => discard(kept)}>
              {t("inbox.discard")}
            </button>
          )}
        </Notice>
      ),
  );
}

/** Forget it, unless another decision was made in its place. */
function forget(kept: Kept) {
  if (listKept().some(({ at }) => at === kept.at)) forgetDecision(kept);
}

/** It is taken first: of two tabs that open at once one sends it, and the run itself refuses a second one. */
async function send(kept: Kept): Promise<Outcome> {
  const { checkpoint_id: asked, plan_hash: hash } = kept.decision;
  forgetDecision(kept);
  try {
    const { pending, decisions } = await getState(kept.runId);
    const made = decisions.find((one) => one.checkpoint_id === asked);
    if (made?.action === kept.decision.action) return { is: "delivered" };
    const checkpoint = pending.find((one) => one.checkpoint_id === asked);
    if (!checkpoint || (checkpoint.plan_hash ?? null) !== (hash ?? null)) return { is: "changed" };
    await decide(kept.runId, kept.decision);
    return { is: "sent" };
  } catch (error) {
    const status = error instanceof Problem ? error.status : 0;
    if (MOOT.includes(status)) return { is: "changed" };
    if (!mayArrive(error)) return { is: "refused", error: error as Error };
    keepDecision(kept, kept.at);
    return { is: "failed" };
  }
}
