/** Notifications of the browser, sent while nobody looks. */

import { useEffect, useRef } from "react";
import { useLocation } from "wouter";

import type { RunSummary } from "../api/client";
import { useWords } from "../strings";

export default function Notify({ waiting }: { waiting: RunSummary[] }) {
  useNotifications(waiting);
  return null;
}

/** Notify of each run that has begun to wait since the page was opened, while the page is hidden. */
function useNotifications(waiting: RunSummary[]) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const known = useRef<Set<string>>(undefined);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(waiting.map((run) => run.run_id));
    if (!before || !document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    for (const run of waiting.filter(({ run_id }) => !before.has(run_id))) {
      const title = t(run.asks ? `run.${run.asks}` : "status.waiting");
      const told = new Notification(title, { body: run.query, tag: run.run_id }); // two tabs show one
      told.onclick = () => {
        window.focus();
        navigate(`/inbox/${run.run_id}`);
      };
    }
  }, [waiting, t, navigate]);
}
