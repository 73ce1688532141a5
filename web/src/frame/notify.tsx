/** Notifications of the browser: asked for once, when a run first waits, and sent while nobody looks. */

import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";

import type { RunSummary } from "../api/client";
import { Notice } from "../parts/notices";
import { useWords } from "../strings";

/** Where nothing is offered: it would come while one types, and move the field away. */
const ASK = "/";
const ASKED = "greenlight.notify";

/** Whether the user has answered neither here nor in the browser. */
async function mayAsk(): Promise<boolean> {
  if (!window.isSecureContext || !("Notification" in window) || localStorage.getItem(ASKED) !== null) return false;
  const { state } = await navigator.permissions.query({ name: "notifications" });
  return state === "prompt";
}

export default function Notify({ waiting }: { waiting: RunSummary[] }) {
  const { t } = useWords();
  const [isAsking, setAsking] = useState(false);
  const [path] = useLocation();
  useEffect(() => void mayAsk().then(setAsking), []);
  useNotifications(waiting);
  if (!isAsking || waiting.length === 0 || path === ASK) return null;
  function settle() {
    localStorage.setItem(ASKED, "asked");
    setAsking(false);
  }
  return (
    <Notice kind="brief" onClose={settle}>
      {t("notify.ask")}{" "}
      <button type="button" onClick={() => (settle(), void Notification.requestPermission())}>
        {t("notify.yes")}
      </button>
    </Notice>
  );
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
