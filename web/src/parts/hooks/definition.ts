import { useQuery } from "@tanstack/react-query";

import { getDefinition, getRun, type Definition, type RunState } from "../../api/client";

/** Return the version of the definition that a run follows; undefined: not known yet, or it was deleted. */
export function useDefinition({ run_id: id, definition_id: definitionId }: RunState): Definition | undefined {
  const run = useQuery({ queryKey: ["run", id], queryFn: () => getRun(id), staleTime: Infinity });
  const version = run.data?.definition_version;
  const definition = useQuery({
    queryKey: ["definition", definitionId, version],
    queryFn: () => getDefinition(definitionId, version),
    enabled: version !== undefined,
    staleTime: Infinity,
    retry: false, // it may be deleted
  });
  return definition.data;
}
