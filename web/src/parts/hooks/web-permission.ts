import { useQuery } from "@tanstack/react-query";

import { listDefinitions, listKinds, type Definition, type Kind } from "../../api/client";

/** What lets a run reach the web: that it was started, or that its plan was approved; or it never does. */
export type WebPermission = "consent" | "approval" | "none";

type Phase = Definition["phases"][number];

/** Return what runs of a definition may do; null: not known yet, or it is gone. */
export function useWebPermission(definitionId: string | undefined): WebPermission | null {
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions, staleTime: 60_000 });
  const kinds = useQuery({ queryKey: ["kinds"], queryFn: listKinds, staleTime: Infinity });
  const definition = definitions.data?.find(({ id }) => id === definitionId);
  return definition && kinds.data ? findWebPermission(definition, kinds.data) : null;
}

/** The gateway takes no definition that reaches the web without its consent or an approval ahead. */
function findWebPermission({ consent, phases }: Definition, kinds: Kind[]): WebPermission {
  if (consent) return "consent";
  return phases.some((phase) => phase.enabled && isOnWeb(phase, kinds)) ? "approval" : "none";
}

function isOnWeb({ kind: name, config }: Phase, kinds: Kind[]): boolean {
  const kind = kinds.find(({ kind }) => kind === name);
  const set = config as Record<string, unknown> | undefined;
  const isSet = ([field, value]: [string, unknown]) => set?.[field] === value;
  return (kind?.variants.find((variant) => Object.entries(variant.config).every(isSet)) ?? kind)?.web ?? false;
}
