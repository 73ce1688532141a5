import { createContext } from "react";

import type { Decide } from "../api/client";

/** A decision that is sent in a moment, until which it can be taken back. */
export interface Held {
  runId: string;
  query: string;
  checkpointId: string;
  action: NonNullable<Decide["action"]>;
  /** What is sent. */
  decision: Decide;
  /** Send it; `isLeaving` while the page goes away, which no answer reaches any more. */
  send: (isLeaving: boolean) => Promise<unknown>;
}

/** Takes a decision to send it later; null where decisions are sent at once. */
export const HoldContext = createContext<((held: Held) => void) | null>(null);
