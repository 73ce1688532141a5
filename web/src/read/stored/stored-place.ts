/** Where a source that was read is opened: its stored copy is a page of ours; a file of one's own, and a page of the web, themselves. */

import { useQuery } from "@tanstack/react-query";

import { isByLink, isOnWeb, listSources, placeAddress, type Source } from "../../api/client";

/** What a browser or an office program shows as it is; the text of all else is on the stored page. */
const FILES = ["application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"];

export const placeStored = (runId: string, source: number, note = 0) =>
  `/runs/${runId}/sources/${source}${note > 0 ? `#note-${note}` : ""}`;

/** Return the run and numbers in the address of a stored page; null: it is another one. */
export function readStoredPlace({ pathname, hash }: { pathname: string; hash: string }) {
  const [, runId, source] = /^\/runs\/([^/]+)\/sources\/(\d+)$/.exec(pathname) ?? [];
  return runId && source
    ? { runId, source: Number(source), note: Number(/^#note-(\d{1,6})$/.exec(hash)?.[1] ?? 0) }
    : null;
}

/** The address of the file that the run keeps; empty where it is none, or may not be opened. */
export const placeFile = ({ kept, content_type: type }: Source) =>
  kept && FILES.includes(type) && !isByLink() ? kept : "";

/** Return where the title of a source leads. */
export const placeSource = (runId: string, source: Source) =>
  placeFile(source) || (source.kept ? placeStored(runId, source.n) : isOnWeb(source.url) ? source.url : "");

/** Return a function that places what a report's document names: a source's own address or that of a page in it. */
export function useSourcePlace(runId: string) {
  const sources = useQuery({ queryKey: ["sources", runId], queryFn: () => listSources(runId), staleTime: 10_000 });
  return (source: number, address: string) => {
    const found = sources.data?.[source - 1];
    return found?.kept && !placeFile(found) ? placeStored(runId, source) : placeAddress(runId, address);
  };
}
