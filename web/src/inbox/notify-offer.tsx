/** The offer of the browser's notifications, made once. */

import { useEffect, useState } from "react";

import { Notice } from "../parts/notices";
import { useWords } from "../strings";

const ASKED = "greenlight.notify";

/** Whether the user has answered neither here nor in the browser. */
async function mayAsk(): Promise<boolean> {
  if (!window.isSecureContext || !("Notification" in window) || localStorage.getItem(ASKED) !== null) return false;
  const { state } = await navigator.permissions.query({ name: "notifications" });
  return state === "prompt";
}

/** Stands below everything else in its column, because it comes and goes while the reader may be about to press something. */
export function NotifyOffer() {
  const { t } = useWords();
  const [isAsking, setAsking] = useState(false);
  useEffect(() => void mayAsk().then(setAsking), []);
  if (!isAsking) return null;
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
