/** The work of a run that has ended: its phases, what was done, and the pages that were read. */

import { useState } from "react";

import type { RunState } from "../api/client";
import type { RunLog } from "../run-state/run-log";
import { Feed } from "./feed";
import { Pages } from "./pages";
import { Phases } from "./phases";
import "./work.css";

export default function WorkView({ state, log }: { state: RunState; log: RunLog }) {
  const [phase, setPhase] = useState<string | null>(null);
  return (
    <div className="work stack">
      <Phases state={state} log={log} chosen={phase} onChoose={setPhase} />
      <div className="work-columns">
        <Feed state={state} log={log} phase={phase} onAll={() => setPhase(null)} />
        <Pages pages={log.pages} />
      </div>
    </div>
  );
}
