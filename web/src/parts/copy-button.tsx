import { useState } from "react";

import { useWords } from "../strings";

/** Copies a text; `of` names it where several of these stand below each other. */
export function CopyButton({ text, of }: { text: string; of?: string }) {
  const { t } = useWords();
  const [copied, setCopied] = useState("");
  return (
    <button
      type="button"
      aria-label={of && copied !== text ? t("copy.one", { of }) : undefined}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
    >
      {t(copied === text ? "share.copied" : "share.copy")}
    </button>
  );
}

/** A line to type elsewhere, with a button that copies it. */
export const CopyLine = ({ text }: { text: string }) => (
  <div className="copy-line">
    <code>{text}</code>
    <CopyButton text={text} of={text} />
  </div>
);
