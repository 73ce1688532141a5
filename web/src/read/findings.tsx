/** What a run made that writes no report: sentences with their quotes and pages, and what else can be read. */

import { useQuery } from "@tanstack/react-query";

import { Link } from "wouter";

import { listSources, type Json } from "../api/client";
import { Readable } from "../parts/text/readable";
import { useWords } from "../strings";
import { Address } from "./address";
import { placeSource, placeStored } from "./stored/stored-place";
import { Facts } from "../parts/text/facts";

interface Claim {
  text: string;
  citations: { source: number; quote: string }[];
  verdict: string | null;
}

const readFindings = (output: Json): Claim[] => (output["findings"] as Claim[] | undefined) ?? [];

export const hasFindings = (output: Json) => readFindings(output).length > 0;

export function Made({ runId, output }: { runId: string; output: Json }) {
  const { findings, ...others } = output as { findings?: Claim[] };
  return (
    <>
      {findings && findings.length > 0 && <Findings runId={runId} claims={findings} />}
      <Readable value={others} />
    </>
  );
}

function Findings({ runId, claims }: { runId: string; claims: Claim[] }) {
  const { t } = useWords();
  const sources = useQuery({ queryKey: ["sources", runId], queryFn: () => listSources(runId), staleTime: Infinity });
  return (
    <ol className="findings stack">
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
                    <Address to={placeSource(runId, source)}>{source.title || source.url}</Address>
                    <small>
                      <Facts of={[source.publisher, source.published]} />{" "}
                      <Link href={placeStored(runId, source.n)}>{t("read.stored.open")}</Link>
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
