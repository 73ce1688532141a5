import { useQuery } from "@tanstack/react-query";

import { getRun, type RunState } from "../../api/client";

/** The run whose report a follow-up extends; a repetition of the same question does not count. */
export function useEarlier({ parent, query }: RunState) {
  const run = useQuery({
    queryKey: ["run", parent],
    queryFn: () => getRun(parent!),
    enabled: parent !== null,
    staleTime: Infinity,
    retry: false, // it may have been deleted
  });
  return run.data && run.data.query !== query ? run.data : undefined;
}
