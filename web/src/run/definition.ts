import { useQuery } from "@tanstack/react-query";

import { getDefinition, getRun, type RunState } from "../api/client";

/** Ask for the version of a definition that a run was started with; one that was deleted is an error. */
export function useDefinition({ run_id, definition_id }: RunState) {
  const run = useQuery({ queryKey: ["run", run_id], queryFn: () => getRun(run_id), staleTime: Infinity });
  const version = run.data?.definition_version;
  return useQuery({
    queryKey: ["definition", definition_id, version],
    queryFn: () => getDefinition(definition_id, version),
    enabled: version !== undefined,
    staleTime: Infinity,
    retry: false,
  });
}
