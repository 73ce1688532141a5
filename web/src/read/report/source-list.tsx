import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { listSources, type ReportDocument, type Source } from "../../api/client";
import { Unread } from "../../parts/text/unread";
import { useWords } from "../../strings/index";
import { Address } from "../address";
import { placeSource } from "../stored/stored-place";
import { countSentences } from "./document";

interface Given {
  runId: string;
  /** The document, to count the sentences for each source; undefined: no counts. */
  document?: ReportDocument;
  hasEnded: boolean;
}

/** The pages that were read, by who published them, each with its number, its doubts and how many sentences rest on it. */
export function SourceList({ runId, document, hasEnded }: Given) {
  const { t } = useWords();
  const sources = useQuery({
    queryKey: ["sources", runId],
    queryFn: () => listSources(runId),
    staleTime: hasEnded ? Infinity : 5_000,
  });
  const counts = useMemo(() => (document ? countSentences(document) : null), [document]);
  if (!sources.data?.length) return null;
  return (
    <section className="source-list stack" aria-labelledby="sources">
      <h2 id="sources" className="label apart">
        <span>
          {t("read.sources")} <span className="muted">{sources.data.length}</span>
        </span>
        {counts && <span>{t("read.sources.sentences")}</span>}
      </h2>
      {[...Map.groupBy(sources.data, ({ publisher }) => publisher ?? "")].map(([publisher, group]) => (
        <div key={publisher}>
          {publisher && <small>{publisher}</small>}
          <ul className="plain">
            {group.map((source) => (
              <SourceRow key={source.n} runId={runId} source={source} count={counts && (counts.get(source.n) ?? 0)} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

interface RowGiven {
  runId: string;
  source: Source;
  count: number | null;
}

function SourceRow({ runId, source, count }: RowGiven) {
  const { t, say } = useWords();
  return (
    <li>
      <span className="figure">{t("read.sources.number", { n: source.n })}</span>
      <div>
        <Address to={placeSource(runId, source)}>{source.title || source.url}</Address>
        {source.published && <small> {source.published}</small>}
        {(source.notes ?? []).map((note) => (
          <small key={note.code} className="doubt">
            {say(note)}
          </small>
        ))}
        <Unread name={source.title || source.url} parts={source.unread} />
      </div>
      {count !== null && (
        <span className="figure">
          <span aria-hidden>{count || "–"}</span>
          <span className="unseen">{t("read.sources.count", { n: count })}</span>
        </span>
      )}
    </li>
  );
}
