import { useQuery } from "@tanstack/react-query";

import { getSubjectDocument, type ReportDocument } from "../../api/client";
import { ErrorNotice, Loading } from "../../parts/notices";
import "../../read/read.css";
import { ReportBody } from "../../read/report/report-body";
import { findNote, type NumberedNote } from "../../read/report/document";

/** The open note at the side of the text. */
export interface ShownNote {
  note: NumberedNote;
  opener: HTMLElement | undefined;
}

export interface OpenNote {
  shown: ShownNote | null;
  onNote: (shown: ShownNote | null) => void;
}

interface Given extends OpenNote {
  runId: string;
  checkpointId: string;
  /** The phase of the output, if several are shown. */
  phase?: string;
  /** What the question above it names already. */
  named?: string | undefined;
}

/** The decision's subject as a section of a report, with notes that open. */
export function SubjectText({ runId, checkpointId, phase, named, shown, onNote }: Given) {
  const text = useQuery({
    queryKey: ["subject", runId, checkpointId, phase],
    queryFn: () => getSubjectDocument(runId, checkpointId, phase),
    staleTime: Infinity,
  });
  if (text.error) return <ErrorNotice error={text.error} onRetry={() => void text.refetch()} />;
  if (!text.data) return <Loading />;
  const document = text.data;
  const untitled = phase ? document : leaveOutName(document, named);
  return (
    <ReportBody
      runId={runId}
      document={untitled}
      shownNote={shown?.note.document === document ? shown.note.number : null}
      onNote={(number, _, opener) => {
        const note = findNote(document, number);
        const isOpen = shown?.note.document === document && shown.note.number === number;
        onNote(note && !isOpen ? { note, opener } : null);
      }}
    />
  );
}

/** Return a text without its title, and without the heading that repeats a name. */
function leaveOutName(document: ReportDocument, name: string | undefined): ReportDocument {
  const { blocks = [] } = document;
  const at = blocks.findIndex((block) => block.type === "heading" && block.text === name);
  return { ...document, title: "", blocks: at < 0 ? blocks : blocks.toSpliced(at, 1) };
}
