/** A report on its page: what it says, where it says it, and what each sentence rests on. */

import {
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from "react";

import type { ReportDocument, Sentence } from "../api/client";
import { holdPlace } from "../parts/scrolling/hold-place";
import { MoreBelow } from "../parts/scrolling/more-below";
import { showAboveSheet } from "../parts/scrolling/show-above-sheet";
import { useWords } from "../strings";
import {
  findAgain,
  findCiting,
  findNote,
  listLooks,
  nameOpened,
  readNoteNumber,
  splitSections,
  type Look,
  type OpenedNote,
} from "./report/document";
import { NotePanel } from "./report/note-panel";
import { NotesContext, type Notes } from "./afterwards/questions";
import { RemarksContext } from "./afterwards/remarks";
import "./read.css";
import { ReportBody } from "./report/report-body";
import { SourceList } from "./report/source-list";

interface Given {
  runId: string;
  document: ReportDocument;
  /** The texts that stood there before; null: nothing is marked as new. */
  before?: Set<string> | null;
  hasEnded: boolean;
  /** The stand-in put it together: what it begins with is no answer, and is not set as one. */
  isOfStandIn?: boolean;
  above?: ReactNode;
  opening?: ReactNode;
  below?: ReactNode;
  beside?: ReactNode;
  /** The margin's content instead of sources, until a note is opened. */
  rail?: ReactNode;
  className?: string;
}

const NO_EDITS: number[] = [];

export function Reader({
  runId,
  document: report,
  before = null,
  hasEnded,
  isOfStandIn = false,
  above,
  opening,
  below,
  beside,
  rail,
  className = "",
}: Given) {
  const { t } = useWords();
  const [opened, setOpened] = useState<OpenedNote | null>(() => {
    const note = findNote(report, readNoteNumber()); // the address names it, as the way back from a stored page does
    return note && { runId, note, sentence: findCiting(report, note.number) };
  });
  const body = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLElement>(null);
  useEffect(() => {
    const number = readNoteNumber();
    const place = number > 0 && body.current?.querySelector<HTMLElement>(`[data-note="${number}"]`);
    if (!place) return;
    opener.current = place;
    place.scrollIntoView({ block: "center" });
    showAboveSheet(place);
  }, []);
  const edits = useContext(RemarksContext)?.edits ?? NO_EDITS;
  const [seenEdits, setSeenEdits] = useState(edits.length);
  if (edits.length > seenEdits) {
    setSeenEdits(edits.length);
    setOpened(null); // its sentence has other words now
  }
  useFocusOnEdited(edits, report, body, opener);
  // Another version of the report numbers its notes anew; one that it lacks stays open as it was.
  const found = useMemo(() => (opened?.runId === runId ? findAgain(report, opened) : null), [report, runId, opened]);
  const shown = found ?? opened;
  const turnTo = (of: string, document: ReportDocument, number: number, sentence?: Sentence) => {
    const note = findNote(document, number);
    setOpened(note && { runId: of, note, sentence });
  };
  const onNote: Notes["onNote"] = (of, document, number, sentence, pressed) => {
    opener.current = pressed ?? null;
    if (shown?.runId === of && shown.note.number === number && shown.sentence === sentence) setOpened(null);
    else turnTo(of, document, number, sentence);
  };
  useEffect(() => {
    if (opened && opener.current) showAboveSheet(opener.current);
  }, [opened]);
  useHeldNumber(opener, shown !== null, hasEnded);
  const looks = useMemo(() => listLooks(report), [report]);
  const headings = useMemo(() => splitSections(report).slice(1), [report]);
  return (
    <div className={`read ${className}`} data-noted={shown ? true : undefined}>
      <nav className="contents scrolls" aria-label={t("read.contents")}>
        <ol className="stack">
          {headings.map(({ id, blocks: [heading] }) => (
            <li key={id}>
              <a href={`#${id}`}>{heading?.type === "heading" && heading.text}</a>
            </li>
          ))}
        </ol>
        <MoreBelow of="list.headings" />
      </nav>
      <div className="reading" ref={body}>
        {above}
        <ReportBody
          runId={runId}
          document={report}
          opening={opening}
          hasAnswer={hasEnded && !report.summary && !isOfStandIn}
          before={before}
          shownNote={found?.note.number ?? null}
          onNote={(number, sentence, pressed) => onNote(runId, report, number, sentence, pressed)}
        />
        <NotesContext value={{ opened: shown, onNote }}>{below}</NotesContext>
      </div>
      <aside className="beside scrolls">
        {shown ? (
          <NotePanel
            key={nameOpened(shown)}
            runId={shown.runId}
            note={shown.note}
            sentence={shown.runId === runId ? (shown.sentence ?? opened?.sentence) : undefined}
            isDraft={!hasEnded || (shown.runId === runId && !found?.sentence)}
            onNote={(number) => turnTo(shown.runId, shown.note.document, number, shown.sentence)}
            onClose={() => {
              setOpened(null);
              opener.current?.focus(); // where one was reading
            }}
          />
        ) : (
          (rail ?? (
            <>
              {looks.length > 0 && <Legend looks={looks} />}
              {beside}
              <SourceList runId={runId} document={report} hasEnded={hasEnded} />
            </>
          ))
        )}
        {!rail && <MoreBelow of="list.sources" items=".source-list li" />}
      </aside>
    </div>
  );
}

/** Once a sentence has other words, focus where it was opened, or its first number: now, and in the changed report. */
function useFocusOnEdited(
  edits: number[],
  report: ReportDocument,
  body: RefObject<HTMLElement | null>,
  opener: RefObject<HTMLElement | null>,
) {
  const isReportDue = useRef(false);
  const focus = useEffectEvent(() => {
    const its = `[data-sentence="${edits.at(-1)}"]`;
    const opened = opener.current?.isConnected ? opener.current.closest<HTMLElement>(its) : null;
    const sentence = opened ?? body.current?.querySelector<HTMLElement>(its);
    if (!sentence || sentence.contains(document.activeElement)) return;
    const place = opened ? opener.current : sentence.querySelector<HTMLElement>("button.note-number");
    if (!place) sentence.tabIndex = -1; // a sentence without a number takes the focus itself
    (place ?? sentence).focus();
  });
  useEffect(() => {
    isReportDue.current = edits.length > 0;
    if (edits.length > 0) focus();
  }, [edits]);
  useEffect(() => {
    if (isReportDue.current && document.activeElement === document.body) focus();
    isReportDue.current = false;
  }, [report]);
}

/** How long a report settles after the end of its run: what is said above it, and its links, come one after the other. */
const SETTLED_MS = 1_500;

/** While a report grows, and as its run ends, keep the number whose note is open where it is on the screen. */
function useHeldNumber(number: RefObject<HTMLElement | null>, isOpen: boolean, hasEnded: boolean) {
  const until = useRef(0);
  useEffect(() => {
    if (!hasEnded) until.current = Infinity;
    else if (until.current > 0) until.current = performance.now() + SETTLED_MS;
  }, [hasEnded]);
  useEffect(() => {
    if (!isOpen || !number.current) return;
    return holdPlace(number.current, { isOver: () => performance.now() > until.current, onScroll: "go on" });
  }, [number, isOpen]);
}

function Legend({ looks }: { looks: Look[] }) {
  const { t } = useWords();
  return (
    <section className="legend" aria-labelledby="legend">
      <h2 id="legend" className="label">
        {t("read.legend")}
      </h2>
      <ul className="stack">
        {looks.map((look) => (
          <li key={look}>
            <span className="claim" data-mark={look}>
              {t("read.legend.sample")}
            </span>
            {t(`read.legend.${look}`)}
          </li>
        ))}
      </ul>
    </section>
  );
}
