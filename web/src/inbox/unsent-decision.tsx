/** Sends the decision that a killed browser had not sent yet, if what it is about is as it was, and says so. */

import { useEffect, useState } from "react";
import { Link } from "wouter";

import { decide, getState, Problem } from "../api/client";
import { Notice, useProblemText } from "../parts/notices";
import { useWords } from "../strings";
import { forgetDecision, keepDecision, readKept, type Kept } from "./undoable-decision-storage";

/** Within this time, a live tab has sent its delayed decision. */
const OWNER_DONE_MS = 12_000;

/** Refusals that pass: a session that has ended, a request that took too long, too many at once. */
const PASSING = [401, 408, 429];
/** The run or its checkpoint is gone, or was decided. */
const MOOT = [404, 409];

interface Outcome {
  is: "sent" | "changed" | "failed" | "refused";
  error?: Error;
}

export default function KeptDecision() {
  const { t } = useWords();
  const describe = useProblemText();
  const [found, setFound] = useState<{ kept: Kept; outcome: Outcome } | null>(null);
  useEffect(() => {
    const first = readKept();
    if (!first) return;
    const wait = Math.max(first.at + OWNER_DONE_MS - Date.now(), 0);
    const timer = setTimeout(() => {
      const kept = readKept();
      if (kept?.at !== first.at) return; // its tab has sent it, or it was undone
      void send(kept).then((outcome) => setFound({ kept, outcome }));
    }, wait);
    return () => clearTimeout(timer);
  }, []);
  if (!found) return null;
  const { kept, outcome } = found;
  return (
    <Notice kind={outcome.is === "sent" ? "info" : "wait"} onClose={() => setFound(null)}>
      <p>
        {t(`inbox.kept.${outcome.is}`, {
          query: kept.query,
          done: t(`decision.${kept.decision.action ?? "approve"}`),
          why: outcome.error ? describe(outcome.error) : "",
        })}{" "}
        <Link href={`/runs/${kept.runId}`}>{t("inbox.open")}</Link>
      </p>
    </Notice>
  );
}

/** It is taken first: of two tabs that open at once one sends it, and the run itself refuses a second one. */
async function send(kept: Kept): Promise<Outcome> {
  const { checkpoint_id: asked, plan_hash: hash } = kept.decision;
  forgetDecision(asked);
  try {
    const { pending } = await getState(kept.runId);
    const checkpoint = pending.find((one) => one.checkpoint_id === asked);
    if (!checkpoint || (checkpoint.plan_hash ?? null) !== (hash ?? null)) return { is: "changed" };
    await decide(kept.runId, kept.decision);
    return { is: "sent" };
  } catch (error) {
    const status = error instanceof Problem ? error.status : 0;
    if (MOOT.includes(status)) return { is: "changed" };
    if (status >= 400 && status < 500 && !PASSING.includes(status)) return { is: "refused", error: error as Error };
    keepDecision(kept);
    return { is: "failed" };
  }
}
