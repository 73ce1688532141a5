/** What the gateway finds wrong with a definition as it is written, and where. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { checkBody, type FieldProblem, type Validity } from "../../api/client";
import { nameValue } from "../../parts/form/field-words";
import { useDebounced } from "../../parts/hooks/debounced";
import { useWords, type Words } from "../../strings";
import { isSame, readId, readTitle, type Draft, type Kinds } from "./draft";

export interface Problems {
  /** Faults by the phase's index and the path within the phase. */
  ofPhases: Map<number, FieldProblem[]>;
  /** What is wrong with the definition itself. */
  ofAll: FieldProblem[];
  bindings: Validity["bindings"];
  /** Null: not known yet. */
  isValid: boolean | null;
  error: Error | null;
}

type Params = NonNullable<FieldProblem["params"]>;

const ids = ({ phases }: Draft) => phases.map(readId);

/** Ask as one types: each text has its own answer, so that one of an older text is never taken for it. */
export function useProblems(definition: Draft, isBroken: boolean, kinds: Kinds): Problems {
  const { say } = useWords();
  const settled = useDebounced(definition);
  const check = useQuery({
    queryKey: ["check", settled],
    queryFn: async () => ({ of: settled, ...(await checkBody(settled)) }),
    enabled: !isBroken && settled.phases.length > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const told = check.data && isSame(ids(check.data.of), ids(definition)) ? check.data : null;
  const ofPhases = new Map<number, FieldProblem[]>();
  const ofAll: FieldProblem[] = [];
  for (const { index, ...problem } of placeProblems(told?.problems ?? [], definition, kinds, say)) {
    if (index === null) ofAll.push(problem);
    else ofPhases.set(index, [...(ofPhases.get(index) ?? []), problem]);
  }
  const isCurrent = told !== null && settled === definition && !check.isPlaceholderData;
  return {
    ofPhases,
    ofAll,
    bindings: told?.bindings ?? {},
    isValid: isCurrent ? told.valid : null,
    error: check.error,
  };
}

/** Return problems with the index of the phase that each is of, if it is of one, and the path within it. */
export const placeProblems = (problems: FieldProblem[], definition: Draft, kinds: Kinds, say: Words["say"]) =>
  problems.map((problem) => {
    const named = { ...problem, params: nameAsDrawn(problem.params ?? {}, definition, kinds, say) };
    const found = /^phases\[(\d+)\]\.?(.*)$/.exec(problem.path);
    return found ? { ...named, index: Number(found[1]), path: found[2]! } : { ...named, index: null };
  });

/** Parameters of problems that are ids of phases. */
const PHASES = ["phase", "provider", "names"];

/** Return parameters with phases called what their cards call them. */
function nameAsDrawn(params: Params, { phases }: Draft, kinds: Kinds, say: Words["say"]): Params {
  const call = (id: string) => {
    const phase = phases.find((one) => readId(one) === id);
    return phase ? readTitle(phase, kinds) : id;
  };
  const name = (value: Params[string]): Params[string] => {
    if (typeof value === "string") return call(value);
    return Array.isArray(value) ? value.map((part) => (typeof part === "string" ? call(part) : part)) : value;
  };
  const translate = (key: string, value: Params[string]): Params[string] => {
    if (PHASES.includes(key)) return name(value);
    if (key !== "need" || typeof value !== "object" || Array.isArray(value)) return value;
    const given = value.params?.["value"];
    return typeof given === "string" ? { ...value, params: { ...value.params, value: nameValue(given, say) } } : value;
  };
  return Object.fromEntries(Object.entries(params).map(([key, value]) => [key, translate(key, value)]));
}
