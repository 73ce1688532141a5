/** Sends the decision that a killed browser had not sent yet, if what it is about is as it was, and says so. */

import { useEffect, useState } from "react";
import { Link } from "wouter";

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
  const [found, setFound] = useState<{ kept: Kept; outcome: Outcome }[]>([]);
  useEffect(() => {
    const timers = new Set<ReturnType<typeof setTimeout>>();
    function attempt(first: Kept, wait: number) {
      const timer = setTimeout(() => {
        const kept = listKept().find(({ at }) => at === first.at);
        if (!kept) return; // its tab has sent it, or it was undone
        void send(kept).then((outcome) => {
          setFound((all) => [...all.filter((one) => one.kept.at !== kept.at), { kept, outcome }]);
          if (outcome.is === "failed") attempt(kept, AGAIN_MS);
        });
      }, wait);
      timers.add(timer);
    }
    for (const kept of listKept()) attempt(kept, Math.max(kept.at + OWNER_DONE_MS - Date.now(), 0));
    return () => timers.forEach(clearTimeout);
  }, []);
  return found.map(
    ({ kept, outcome }) =>
      outcome.is !== "delivered" && (
        <Notice
          key={kept.at}
          kind={outcome.is === "sent" ? "info" : "wait"}
          onClose={() => setFound((all) => all.filter((one) => one.kept.at !== kept.at))}
        >
          <p>
            {t(`inbox.kept.${outcome.is}`, {
              query: kept.query,
              done: t(`decision.${kept.decision.action ?? "approve"}`),
              why: outcome.error ? describe(outcome.error) : "",
            })}{" "}
            <Link href={`/runs/${kept.runId}`}>{t("inbox.open")}</Link>
          </p>
        </Notice>
      ),
  );
}

/** It is taken first: of two tabs that open at once one sends it, and the run itself refuses a second one. */
async function send(kept: Kept): Promise<Outcome> {
  const { checkpoint_id: asked, plan_hash: hash } = kept.decision;
  forgetDecision(asked);
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
