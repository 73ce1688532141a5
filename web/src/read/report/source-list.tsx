import { useQuery } from "@tanstack/react-query";

import { isOnWeb, listSources } from "../../api/client";
import { Unread } from "../../parts/text/unread";
import { useWords } from "../../strings/index";

/** The pages that were read, each with its doubts. */
export function SourceList({ runId, hasEnded }: { runId: string; hasEnded: boolean }) {
  const { t, say } = useWords();
  const sources = useQuery({
    queryKey: ["sources", runId],
    queryFn: () => listSources(runId),
    staleTime: hasEnded ? Infinity : 5_000,
  });
  if (!sources.data?.length) return null;
  return (
    <section aria-labelledby="sources">
      <h2 id="sources" className="label">
        {t("read.sources")} <span className="muted">{sources.data.length}</span>
      </h2>
      <ol className="source-list stack">
        {sources.data.map((source) => (
          <li key={source.url}>
            <a href={source.kept || (isOnWeb(source.url) ? source.url : undefined)} target="_blank" rel="noreferrer">
              {source.title || source.url}
            </a>
            <small>{[source.publisher, source.published].filter(Boolean).join(" · ")}</small>
            {(source.notes ?? []).map((note) => (
              <small key={note.code} className="doubt">
                {say(note)}
              </small>
            ))}
            <Unread name={source.title || source.url} parts={source.unread} />
          </li>
        ))}
      </ol>
    </section>
  );
}
