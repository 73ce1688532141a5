/** What a run made that writes no report: sentences with their quotes and pages, and what else can be read. */

import { useQuery } from "@tanstack/react-query";

import { listSources, type Json } from "../api/client";
import { Readable } from "../parts/text/readable";
import { useWords } from "../strings";

interface Claim {
  text: string;
  citations: { source: number; quote: string }[];
  verdict: string | null;
}

/** Where it stands and how it is kept: a list of its own shows the pages, and nobody reads the rest. */
const TRACES = /^(sources|searches|patches|artifacts|end_reason|verdict|start|end|bytes|chars|\w*_(key|hash|id))$/;

/** Return a value without what only the machine reads. */
function keepReadable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keepReadable);
  if (typeof value !== "object" || value === null) return value;
  const told = Object.entries(value).filter(([name]) => !TRACES.test(name));
  return Object.fromEntries(told.map(([name, part]) => [name, keepReadable(part)]));
}

const readFindings = (output: Json): Claim[] => (output["findings"] as Claim[] | undefined) ?? [];

export const hasFindings = (output: Json) => readFindings(output).length > 0;

export function Made({ runId, output }: { runId: string; output: Json }) {
  const { findings, ...others } = output as { findings?: Claim[] };
  return (
    <>
      {findings && findings.length > 0 && <Findings runId={runId} claims={findings} />}
      <Readable value={keepReadable(others)} />
    </>
  );
}

function Findings({ runId, claims }: { runId: string; claims: Claim[] }) {
  const { t } = useWords();
  const sources = useQuery({ queryKey: ["sources", runId], queryFn: () => listSources(runId), staleTime: Infinity });
  return (
    <ol className="findings">
      {claims.map(({ text, citations, verdict }, n) => (
        <li key={n}>
          <p>{text}</p>
          {verdict !== null && verdict !== "supported" && <small className="doubt">{t("read.legend.doubtful")}</small>}
          {citations.map(({ source: number, quote }) => {
            const source = sources.data?.[number - 1];
            return (
              <figure key={`${number} ${quote}`}>
                {quote !== text && <blockquote>{quote}</blockquote>}
                {source && (
                  <figcaption>
                    <a href={source.kept || source.url} target="_blank" rel="noreferrer">
                      {source.title || source.url}
                    </a>
                    <small>
                      {[source.publisher, source.published].filter(Boolean).join(" · ")}{" "}
                      <a href={source.snapshot} target="_blank" rel="noreferrer">
                        {t("read.note.open.kept")}
                      </a>
                    </small>
                  </figcaption>
                )}
              </figure>
            );
          })}
        </li>
      ))}
    </ol>
  );
}
