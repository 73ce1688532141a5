/** Remarks on sentences of a report: kept in this tab until a follow-up heeds them. */

import { createContext, useContext, useRef, useState, type ReactNode, type SubmitEvent } from "react";

import type { Remark } from "../api/client";
import { Dialog, type DialogHandle } from "../parts/dialog";
import { useDraft } from "../parts/draft";
import { useWords } from "../strings";

const KINDS = ["wrong", "outdated", "more"] as const;
const HINT_CHARS = 80;

interface Given {
  remarks: Remark[];
  /** Whether each sentence offers to be remarked on. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChoose: (sentence: string) => void;
  onSent: () => void;
}

export const RemarksContext = createContext<Given | null>(null);

/** Gives the sentences below it their remarks, and the dialog in which one is written. */
export function Remarks({ runId, children }: { runId: string; children: ReactNode }) {
  const { t } = useWords();
  const [remarks, setRemarks] = useDraft<Remark[]>(`${runId}.remarks`, []);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState("");
  const dialog = useRef<DialogHandle>(null);
  const known = remarks.find(({ sentence }) => sentence === chosen);
  function keep(remark: Remark | null) {
    const others = remarks.filter(({ sentence }) => sentence !== chosen);
    setRemarks(remark ? [...others, remark] : others);
    dialog.current?.close();
  }
  function onChoose(sentence: string) {
    setChosen(sentence);
    dialog.current?.open();
  }
  return (
    <RemarksContext value={{ remarks, isOpen, onOpen: setOpen, onChoose, onSent: () => setRemarks([]) }}>
      {children}
      <Dialog title={t("read.remark.title")} handle={dialog}>
        {chosen && <RemarkForm key={chosen} sentence={chosen} known={known} onKeep={keep} />}
      </Dialog>
    </RemarksContext>
  );
}

interface FormGiven {
  sentence: string;
  known: Remark | undefined;
  onKeep: (remark: Remark | null) => void;
}

function RemarkForm({ sentence, known, onKeep }: FormGiven) {
  const { t } = useWords();
  const [kind, setKind] = useState<Remark["kind"]>(known?.kind ?? "wrong");
  const [note, setNote] = useState(known?.note ?? "");
  function submit(event: SubmitEvent) {
    event.preventDefault();
    onKeep({ kind, sentence, note: note.trim() });
  }
  return (
    <form className="stack" onSubmit={submit}>
      <blockquote>{sentence}</blockquote>
      <fieldset className="row">
        <legend className="unseen">{t("read.remark.title")}</legend>
        {KINDS.map((each) => (
          <label key={each}>
            <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />{" "}
            {t(`read.remark.${each}`)}
          </label>
        ))}
      </fieldset>
      <label htmlFor="remark-note">{t("read.remark.note")}</label>
      <textarea
        id="remark-note"
        rows={3}
        maxLength={2_000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="actions">
        <button className="primary">{t("read.remark.keep")}</button>
        {known && (
          <button type="button" onClick={() => onKeep(null)}>
            {t("read.remark.drop")}
          </button>
        )}
      </div>
    </form>
  );
}

/** The remark on a sentence, or what begins one. */
export function RemarkOn({ text }: { text: string }) {
  const { t } = useWords();
  const given = useContext(RemarksContext);
  const remark = given?.remarks.find(({ sentence }) => sentence === text);
  if (!given || !text || !(remark || given.isOpen)) return null;
  const about = text.slice(0, HINT_CHARS);
  return (
    <button
      type="button"
      className="remark-on"
      data-kind={remark?.kind}
      title={remark?.note}
      aria-label={`${remark ? t(`read.remark.${remark.kind}`) : t("read.remark.title")}: ${about}`}
      onClick={() => given.onChoose(text)}
    >
      {remark ? t(`read.remark.${remark.kind}`) : "✎"}
    </button>
  );
}
