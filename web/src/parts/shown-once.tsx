import { useState } from "react";

import { useWords } from "../strings";

/** A secret that the gateway shows once, with a button that copies it. */
export function ShownOnce({ says, secret }: { says: string; secret: string }) {
  const { t } = useWords();
  const [copied, setCopied] = useState("");
  return (
    <div className="notice" data-kind="wait" role="status">
      <p>{says}</p>
      <code className="token">{secret}</code>{" "}
      <button type="button" onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(secret))}>
        {t(copied === secret ? "share.copied" : "share.copy")}
      </button>
    </div>
  );
}
