/** What a reader says of a sentence: a remark, kept in this tab until a follow-up heeds it, or other words in its place. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  useContext,
  useEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
  type SubmitEvent,
} from "react";
import { flushSync } from "react-dom";

import { editSentence, estimateRun, type Remark, type Sentence } from "../../api/client";
import { Dialog, type DialogHandle } from "../../parts/dialog/dialog";
import { useDraft } from "../../parts/hooks/draft";
import { useKeyedMutation } from "../../parts/hooks/keyed-mutation";
import { ErrorNotice } from "../../parts/notices";
import { useWords } from "../../strings";

const KINDS = ["wrong", "outdated", "more"] as const;
const SENTENCE_EDIT = "sentence_edit";
/** The cost of an edit follows from the sentence and its quotes, not from the new words. */
const ANY_WORDS = "What would it cost?";
const HINT_CHARS = 80;
const MAX_CHARS = 2_000;

interface Given {
  remarks: Remark[];
  /** Whether each sentence offers to be remarked on. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChoose: (sentence: Sentence, kind?: Kind) => void;
  onSent: () => void;
  /** The numbers of the sentences whose words were changed, or changed back, since the report was opened. */
  edits: number[];
  /** Begins a question about a sentence, in the box below the report. */
  asking: RefObject<Asking | null>;
}

type Kind = Remark["kind"] | "edit";

export interface Asking {
  about: (sentence: string) => void;
}

export const RemarksContext = createContext<Given | null>(null);

interface RemarksGiven {
  runId: string;
  /** Whether sentences can be remarked on: those of a draft still change. */
  isOffered: boolean;
  children: ReactNode;
}

/** Gives the sentences below it their remarks, and the dialog in which one is written. */
export function Remarks({ runId, isOffered, children }: RemarksGiven) {
  const { t } = useWords();
  const [remarks, setRemarks] = useDraft<Remark[]>(`${runId}.remarks`, []);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<{ sentence: Sentence; kind: Kind } | null>(null);
  const [edited, setEdited] = useState<Edited | null>(null);
  const [edits, setEdits] = useState<number[]>([]);
  const asking = useRef<Asking>(null);
  const dialog = useRef<DialogHandle>(null);
  const known = remarks.find(({ sentence }) => sentence === chosen?.sentence.text);
  function keep(remark: Remark | null) {
    const others = remarks.filter(({ sentence }) => sentence !== chosen?.sentence.text);
    setRemarks(remark ? [...others, remark] : others);
    close();
  }
  /** Offer a remark at each sentence, and scroll to the first, because the button may be far above it. */
  function open(isOpen: boolean) {
    flushSync(() => setOpen(isOpen));
    const first = isOpen ? document.querySelector<HTMLElement>(".report .remark-on") : null;
    first?.scrollIntoView({ block: "center" });
    first?.focus({ preventScroll: true });
  }
  function close() {
    setChosen(null);
    dialog.current?.close();
  }
  function onChoose(sentence: Sentence, kind?: Kind) {
    const said = remarks.find((remark) => remark.sentence === sentence.text)?.kind;
    const begun = kind ?? said ?? (sentence.number ? "edit" : "wrong");
    flushSync(() => setChosen({ sentence, kind: begun })); // the focus begins in what it shows
    dialog.current?.open();
  }
  return (
    <RemarksContext
      value={
        isOffered ? { remarks, isOpen, onOpen: open, onChoose, onSent: () => setRemarks([]), edits, asking } : null
      }
    >
      {children}
      {edited ? (
        <EditedBar
          key={edited.text}
          runId={runId}
          edited={edited}
          onUndone={() => setEdits([...edits, edited.number])}
          onClose={() => setEdited(null)}
        />
      ) : (
        isOpen && <ModeBar onClose={() => setOpen(false)} />
      )}
      <Dialog
        title={t(chosen?.kind === "edit" ? "read.remark.title.edit" : "read.remark.title.remark")}
        handle={dialog}
        onClose={() => setChosen(null)}
      >
        {chosen && (
          <About
            runId={runId}
            {...chosen}
            known={known}
            onKind={(kind) => setChosen({ ...chosen, kind })}
            onKeep={keep}
            onEdited={(text) => {
              const number = chosen.sentence.number ?? 0;
              setEdited(text === null ? null : { number, text });
              setEdits([...edits, number]);
              close();
            }}
          />
        )}
      </Dialog>
    </RemarksContext>
  );
}

interface Edited {
  number: number;
  text: string;
}

interface EditedGiven {
  runId: string;
  edited: Edited;
  onUndone: () => void;
  onClose: () => void;
}

/** Says that a sentence stands in other words now, and takes that back. */
function EditedBar({ runId, edited: { number, text }, onUndone, onClose }: EditedGiven) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [undo] = useKeyedMutation({
    send: (key) => editSentence(runId, { sentence: number, former: text, text: null }, key),
    onSuccess: () => {
      onUndone();
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["report", runId] }),
  });
  return (
    <div className="edit-bar bottom-bar" role="status">
      <p className="row">
        {t("read.edit.saved")}
        <button type="button" disabled={undo.isPending} onClick={() => undo.mutate()}>
          {t("read.edit.undo")}
        </button>
        <button type="button" className="quiet" onClick={onClose}>
          {t("state.close")}
        </button>
      </p>
      {undo.error && <ErrorNotice error={undo.error} isWithoutField />}
    </div>
  );
}

/** Says that each sentence offers to be edited, and ends that; Escape does so too. */
function ModeBar({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) onClose();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [onClose]);
  return (
    <div className="edit-bar bottom-bar" role="status">
      <p className="row">
        {t("read.remarks.mode")}
        <button type="button" className="primary" onClick={onClose}>
          {t("read.remarks.close")}
        </button>
      </p>
    </div>
  );
}

interface ActionsGiven {
  sentence: Sentence;
  /** The sentence is one of a draft: the buttons take their room, so that what stands below stays when they appear. */
  isDraft: boolean;
}

/** What can be done about a sentence, beside what it rests on. */
export function SentenceActions({ sentence, isDraft }: ActionsGiven) {
  const { t } = useWords();
  const given = useContext(RemarksContext);
  if ((!given && !isDraft) || !sentence.text) return null;
  return (
    <div className="row sentence-actions" data-later={isDraft || undefined}>
      {(isDraft || sentence.number) && (
        <button type="button" onClick={() => given?.onChoose(sentence, "edit")}>
          {t("read.sentence.edit")}
        </button>
      )}
      <button type="button" onClick={() => given?.onChoose(sentence, "wrong")}>
        {t("read.remark.wrong")}
      </button>
      <button type="button" onClick={() => given?.asking.current?.about(sentence.text)}>
        {t("read.sentence.ask")}
      </button>
    </div>
  );
}

interface AboutGiven {
  runId: string;
  sentence: Sentence;
  kind: Kind;
  known: Remark | undefined;
  onKind: (kind: Kind) => void;
  onKeep: (remark: Remark | null) => void;
  onEdited: (text: string | null) => void;
}

/** A sentence, and what to do about it: remark on it, or put other words in its place. */
function About({ runId, sentence, kind, known, onKind, onKeep, onEdited }: AboutGiven) {
  const { t } = useWords();
  const kinds = sentence.number ? [...KINDS, "edit" as const] : KINDS;
  return (
    <div className="stack">
      <blockquote>{sentence.text}</blockquote>
      <fieldset className="row">
        <legend className="unseen">{t("read.remark.title")}</legend>
        {kinds.map((each) => (
          <label className="check" key={each}>
            <input type="radio" name="kind" checked={kind === each} onChange={() => onKind(each)} />{" "}
            {t(`read.remark.${each}`)}
          </label>
        ))}
      </fieldset>
      {/* Both stay, so that what was typed in one is there after a look at the other. */}
      <div hidden={kind !== "edit"}>
        <EditForm runId={runId} sentence={sentence} onEdited={onEdited} />
      </div>
      <div hidden={kind === "edit"}>
        <RemarkForm sentence={sentence.text} kind={kind === "edit" ? "wrong" : kind} known={known} onKeep={onKeep} />
      </div>
    </div>
  );
}

interface FormGiven {
  sentence: string;
  kind: Remark["kind"];
  known: Remark | undefined;
  onKeep: (remark: Remark | null) => void;
}

function RemarkForm({ sentence, kind, known, onKeep }: FormGiven) {
  const { t } = useWords();
  const [note, setNote] = useState(known?.note ?? "");
  function submit(event: SubmitEvent) {
    event.preventDefault();
    onKeep({ kind, sentence, note: note.trim() });
  }
  return (
    <form className="stack" onSubmit={submit}>
      <label htmlFor="remark-note">{t("read.remark.note")}</label>
      <textarea
        id="remark-note"
        rows={3}
        maxLength={MAX_CHARS}
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

interface EditGiven {
  runId: string;
  sentence: Sentence;
  onEdited: (text: string | null) => void;
}

/** Returns whether a sentence in other words is checked, and what that costs; empty until that is known. */
function useEditPrice(runId: string, { number, text }: Sentence) {
  const { t, usd } = useWords();
  const inputs = { sentence: number ?? 0, former: text, text: ANY_WORDS };
  const start = { query: ANY_WORDS, inputs, from_run: runId, follow_up: true, temp_workflow: true };
  const estimate = useQuery({
    queryKey: ["estimate", SENTENCE_EDIT, runId, number, text],
    queryFn: () => estimateRun(SENTENCE_EDIT, start),
    staleTime: Infinity,
    retry: false,
  });
  if (!estimate.data) return "";
  const { offline, price } = estimate.data;
  return offline
    ? t("read.edit.unchecked")
    : `${t("read.edit.checked")} ${t("read.question.price", { price: usd(price.expected_usd) })}`;
}

/** A form to reword a sentence, which is checked with its quotes before the report contains it, or to restore it. */
function EditForm({ runId, sentence, onEdited }: EditGiven) {
  const { t, date } = useWords();
  const price = useEditPrice(runId, sentence);
  const queries = useQueryClient();
  const [text, setText] = useState(sentence.text);
  const [edit] = useKeyedMutation({
    send: (key, text: string | null) =>
      editSentence(runId, { sentence: sentence.number ?? 0, former: sentence.text, text }, key),
    onSuccess: (_, text) => onEdited(text),
    onSettled: () => queries.invalidateQueries({ queryKey: ["report", runId] }), // it was edited here, or elsewhere
  });
  const { edit: last } = sentence;
  function submit(event: SubmitEvent) {
    event.preventDefault();
    edit.mutate(text);
  }
  return (
    <form className="stack" onSubmit={submit}>
      {last && <small>{t("read.edit.by", { by: last.by, date: date(last.at), former: last.former.text })}</small>}
      <label htmlFor="edit-text">{t("read.edit.text")}</label>
      <textarea
        id="edit-text"
        rows={4}
        required
        maxLength={MAX_CHARS}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <small>
        {t("read.edit.hint")} {price}
      </small>
      <div className="actions">
        <button className="primary" disabled={edit.isPending || text.trim() === sentence.text}>
          {t(edit.isPending ? "read.edit.saving" : "read.edit.save")}
        </button>
        {last && (
          <button type="button" disabled={edit.isPending} onClick={() => edit.mutate(null)}>
            {t("read.edit.restore")}
          </button>
        )}
      </div>
      {edit.error && <ErrorNotice error={edit.error} isWithoutField />}
    </form>
  );
}

/** A reader's remarks on a sentence, or the button for the first one. */
export function RemarkOn({ sentence }: { sentence: Sentence }) {
  const { t } = useWords();
  const { text } = sentence;
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
      onClick={() => given.onChoose(sentence)}
    >
      {remark ? t(`read.remark.${remark.kind}`) : "✎"}
    </button>
  );
}
