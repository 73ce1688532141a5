import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { getReportDocument } from "../../api/client";
import { listTexts } from "./document";

/** A report at a moment of its growth, and the texts that stood there before it. */
export function useReport(runId: string, seq: number | undefined, beforeSeq?: number) {
  const report = useQuery({
    queryKey: ["report", runId, seq],
    queryFn: () => getReportDocument(runId, seq),
    enabled: seq !== undefined,
    staleTime: seq ? Infinity : 0, // what stood at an event stays; without one it is the newest
    placeholderData: keepPreviousData,
    retry: false,
  });
  const earlier = useQuery({
    queryKey: ["report", runId, beforeSeq],
    queryFn: () => getReportDocument(runId, beforeSeq),
    enabled: beforeSeq !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  const document = report.data ?? null;
  const before = useMemo(() => (earlier.data && document ? listTexts(earlier.data) : null), [earlier.data, document]);
  return { document, before, error: report.error };
}
