import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { getReportHtml } from "../api/client";
import { listLines, parseReport } from "./report-document";

const GROWING_MS = 5_000;

/** A report at a moment of its growth, and the lines that stood there before it; while it grows without patches it is asked for again. */
export function useReport(runId: string, seq: number | undefined, beforeSeq?: number, isGrowing = false) {
  const report = useQuery({
    queryKey: ["report", runId, seq],
    queryFn: () => getReportHtml(runId, seq),
    enabled: seq !== undefined,
    staleTime: seq ? Infinity : 0, // what stood at an event stays; without one it is the newest
    placeholderData: keepPreviousData,
    refetchInterval: isGrowing ? GROWING_MS : false,
    retry: false,
  });
  const earlier = useQuery({
    queryKey: ["report", runId, beforeSeq],
    queryFn: () => getReportHtml(runId, beforeSeq),
    enabled: beforeSeq !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  const document = useMemo(() => (report.data ? parseReport(report.data) : null), [report.data]);
  const before = useMemo(
    () => (earlier.data && document ? listLines(parseReport(earlier.data)) : null),
    [earlier.data, document],
  );
  return { document, before, error: report.error };
}
