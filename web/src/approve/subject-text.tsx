import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { getSubjectHtml } from "../api/client";
import { ErrorNotice, Loading } from "../parts/notices";
import "../read/read.css";
import { ReportBody } from "../read/report-body";
import { parseReport, type Note } from "../read/report-document";

/** A note that is open beside the text. */
export interface ShownNote {
  note: Note;
  /** The text that it belongs to, with its other notes. */
  notes: Map<number, Note>;
  opener: Element | null;
}

export interface OpenNote {
  shown: ShownNote | null;
  onNote(shown: ShownNote | null): void;
}

interface Given extends OpenNote {
  runId: string;
  checkpointId: string;
  /** Whose output it is, where several are shown. */
  phase?: string;
}

/** What is decided on as a section of a report, whose notes open. */
export function SubjectText({ runId, checkpointId, phase, shown, onNote }: Given) {
  const html = useQuery({
    queryKey: ["subject", runId, checkpointId, phase],
    queryFn: () => getSubjectHtml(runId, checkpointId, phase),
    staleTime: Infinity,
  });
  const document = useMemo(() => (html.data ? parseReport(html.data) : null), [html.data]);
  const untitled = document && (phase ? document : { ...document, title: "" }); // the question names the step
  if (html.error) return <ErrorNotice error={html.error} onRetry={() => void html.refetch()} />;
  if (!document || !untitled) return <Loading />;
  return (
    <ReportBody
      runId={runId}
      document={untitled}
      shownNote={shown?.notes === document.notes ? shown.note.number : null}
      onNote={(number) => {
        const note = document.notes.get(number);
        const isOpen = shown?.note === note;
        onNote(note && !isOpen ? { note, notes: document.notes, opener: window.document.activeElement } : null);
      }}
    />
  );
}
