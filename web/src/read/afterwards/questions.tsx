/** Questions on a report, each answered from the pages that it keeps: nothing new is read. */

import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { Link } from "wouter";

import {
  getReportDocument,
  listRuns,
  type Block,
  type ReportDocument,
  type RunSummary,
  type Sentence,
} from "../../api/client";
import { ErrorNotice, Loading } from "../../parts/notices";
import { useWords } from "../../strings";
import { splitSections, type OpenedNote } from "../report/document";
import { RemarksContext } from "./remarks";
import { ReportBody } from "../report/report-body";

/** The preset that answers from a report. */
export const FROM_REPORT = "report_answer";
const GROWING_MS = 1_000;

export interface Notes {
  opened: OpenedNote | null;
  onNote: (runId: string, document: ReportDocument, number: number, sentence?: Sentence, pressed?: HTMLElement) => void;
}

/** Opens the notes of answers where those of the report open. */
export const NotesContext = createContext<Notes>({ opened: null, onNote: () => undefined });

/** What was asked about a run's report, the newest last. */
export function Questions({ runId }: { runId: string }) {
  const { t } = useWords();
  const asked = useQuery({
    queryKey: ["questions", runId],
    queryFn: () => listRuns({ parent: runId, definition_id: FROM_REPORT, limit: 50 }),
    refetchInterval: ({ state }) => (state.data?.items.some(({ ended_at }) => !ended_at) ? GROWING_MS : false),
  });
  const runs = [...(asked.data?.items ?? [])].sort((a, b) => a.started_at.localeCompare(b.started_at));
  if (asked.error) return <ErrorNotice error={asked.error} onRetry={() => void asked.refetch()} />;
  if (runs.length === 0) return null;
  return (
    <RemarksContext value={null}>
      <section className="asked stack" aria-labelledby="asked">
        <h2 id="asked" className="label">
          {t("read.questions")}
        </h2>
        {runs.map((run) => (
          <article key={run.run_id} className="stack" aria-busy={!run.ended_at}>
            <h3>
              <Link href={`/runs/${run.run_id}`}>{run.query}</Link>
            </h3>
            {run.ended_at ? <Answer run={run} /> : <Loading />}
          </article>
        ))}
      </section>
    </RemarksContext>
  );
}

function Answer({ run: { run_id: runId } }: { run: RunSummary }) {
  const { opened, onNote } = useContext(NotesContext);
  const answer = useQuery({
    queryKey: ["report", runId, 0],
    queryFn: () => getReportDocument(runId),
    staleTime: Infinity,
    retry: false,
  });
  if (answer.error) return <ErrorNotice error={answer.error} />;
  if (!answer.data) return <Loading />;
  const document = answer.data;
  const shown = { ...document, title: "", blocks: listAnswer(document), appendix: [] };
  return (
    <ReportBody
      runId={runId}
      document={shown}
      shownNote={opened?.runId === runId ? opened.note.number : null}
      onNote={(number, _, pressed) => onNote(runId, document, number, undefined, pressed)}
    />
  );
}

/** What an answer says: neither its heading, which the question is, nor its sources, which end what is read. */
function listAnswer(document: ReportDocument): Block[] {
  const [opening, ...sections] = splitSections({ ...document, appendix: [] });
  const [answer, ...further] = sections.slice(0, -1).map(({ blocks }) => blocks);
  const blocks = [...(opening?.blocks ?? []), ...(answer ?? []).slice(1), ...further.flat()];
  return blocks.filter((block) => block.type !== "heading" || block.level === 2);
}
