/** What a start will cost and take, asked of the gateway before anything is called. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { checkDefinition, estimateRun, type Definition, type Depth, type DepthPrice } from "../api/client";
import type { ObjectSchema } from "../parts/form/field-schema";
import { useDebounced } from "../parts/hooks/debounced";
import { toStart, type Choices } from "./start-choices";

/** The cost of a run follows from what is run, not from the words of the question. */
const ANY_QUESTION = "What would it cost?";

/** What is known of a definition: its problems, its bindings, what a start of it may say. */
export function useValidity(definition: Definition | undefined) {
  return useQuery({
    queryKey: ["validity", definition?.id, definition?.version],
    queryFn: () => checkDefinition(definition?.id ?? ""),
    enabled: definition !== undefined,
    staleTime: Infinity,
  });
}

export type Estimate = Awaited<ReturnType<typeof estimateRun>>;

export interface Pricing {
  /** Of what is chosen now; undefined: not known. */
  estimate: Estimate | undefined;
  /** The depths to choose from, until they are known those of what was chosen before. */
  depths: Depth[];
  /** Required fields are empty. */
  isIncomplete: boolean;
  /** Why there is no price. */
  error: Error | null;
}

const DEPTHS: Depth[] = ["quick", "standard", "thorough"];

export function usePricing(definition: Definition | undefined, choices: Choices): Pricing {
  const settled = useDebounced(choices);
  const schema = useValidity(definition).data?.inputs_schema as ObjectSchema | undefined;
  const isWhole = schema?.required?.every((name) => name in settled.inputs) ?? true;
  const isField = ([name]: [string, unknown]) => name in (schema?.properties ?? {}); // others are of another kind
  const inputs = Object.fromEntries(Object.entries(settled.inputs).filter(isField));
  const id = definition?.id ?? "";
  const { data, error } = useQuery({
    queryKey: ["estimate", definition?.id, settled, inputs],
    queryFn: async () => ({
      of: id,
      estimate: await estimateRun(id, toStart(ANY_QUESTION, { ...settled, inputs }, definition)),
    }),
    enabled: schema !== undefined && isWhole,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return {
    estimate: data?.of === id && isWhole && !error ? data.estimate : undefined,
    depths: data ? (data.estimate.depths ?? []).map(({ depth }) => depth) : DEPTHS,
    isIncomplete: !isWhole,
    error,
  };
}

export const DEFAULT_DEPTH: Depth = "standard";

/** Return the price and the time at the chosen depth; without depths, those of the start. */
export function priceAt({ price, depths = [] }: Estimate, depth: Depth = DEFAULT_DEPTH): Partial<DepthPrice> {
  return depths.find((one) => one.depth === depth) ?? { price };
}
