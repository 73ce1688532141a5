import { useQuery } from "@tanstack/react-query";

import { getSubjectDocument } from "../api/client";
import { focused } from "../parts/focus";
import { ErrorNotice, Loading } from "../parts/notices";
import "../read/read.css";
import { ReportBody } from "../read/report/report-body";
import { findNote, type NumberedNote } from "../read/report/document";

/** A note that is open beside the text. */
export interface ShownNote {
  note: NumberedNote;
  opener: HTMLElement | null;
}

export interface OpenNote {
  shown: ShownNote | null;
  onNote: (shown: ShownNote | null) => void;
}

interface Given extends OpenNote {
  runId: string;
  checkpointId: string;
  /** Whose output it is, where several are shown. */
  phase?: string;
}

/** What is decided on as a section of a report, whose notes open. */
export function SubjectText({ runId, checkpointId, phase, shown, onNote }: Given) {
  const text = useQuery({
    queryKey: ["subject", runId, checkpointId, phase],
    queryFn: () => getSubjectDocument(runId, checkpointId, phase),
    staleTime: Infinity,
  });
  if (text.error) return <ErrorNotice error={text.error} onRetry={() => void text.refetch()} />;
  if (!text.data) return <Loading />;
  const document = text.data;
  const untitled = phase ? document : { ...document, title: "" }; // the question names the step
  return (
    <ReportBody
      runId={runId}
      document={untitled}
      shownNote={shown?.note.document === document ? shown.note.number : null}
      onNote={(number) => {
        const note = findNote(document, number);
        const isOpen = shown?.note.document === document && shown.note.number === number;
        onNote(note && !isOpen ? { note, opener: focused() } : null);
      }}
    />
  );
}
