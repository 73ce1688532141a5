/** The plan as people read and change it. */

import type { CostEstimate } from "../api/client";

export interface PlanStep {
  name: string;
  description: string;
  agent_role: string;
  estimated_duration: string;
}

export interface Plan {
  title: string;
  goal: string;
  requirements: string[];
  steps: PlanStep[];
  search_terms: string[];
  geographical_scope: string;
  focus_areas: string[];
  expanded_queries: string[];
  outline: string[];
  assumptions: string[];
  estimated_duration: string;
  estimated_cost: CostEstimate;
}

export type ListField =
  | "requirements"
  | "search_terms"
  | "focus_areas"
  | "outline"
  | "assumptions";
export type TextField = "title" | "goal" | "geographical_scope";
type Changeable = ListField | TextField | "steps";

export const TEXTS: TextField[] = ["title", "goal", "geographical_scope"];
export const LISTS: ListField[] = [
  "requirements",
  "search_terms",
  "focus_areas",
  "outline",
  "assumptions",
];

export function isPlan(subject: unknown): subject is Plan {
  return typeof subject === "object" && subject !== null && "steps" in subject && "outline" in subject;
}

/** Return a plan with its searches in one list: what is searched is what either of two holds. */
export const joinSearches = (plan: Plan): Plan => ({
  ...plan,
  search_terms: [...new Set([...plan.search_terms, ...plan.expanded_queries])],
  expanded_queries: [],
});

/** Return how many searches a plan has, without rows that are left empty. */
export const countSearches = (plan: Plan) =>
  new Set(joinSearches(plan).search_terms.map((term) => term.trim()).filter(Boolean)).size;

/** Return the fields in which a plan differs from the one that is shown, whole; rows left empty are no rows. */
export function findModifications(shown: Plan, wanted: Plan): Partial<Pick<Plan, Changeable>> {
  const cleaned: Plan = {
    ...wanted,
    ...Object.fromEntries(LISTS.map((name) => [name, wanted[name].map((row) => row.trim()).filter(Boolean)])),
    steps: wanted.steps.filter((step) => step.name.trim() || step.description.trim()),
  };
  const before = joinSearches(shown);
  const names: Changeable[] = [...TEXTS, ...LISTS, "steps"];
  const changed = names.filter((name) => JSON.stringify(cleaned[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed.map((name) => [name, cleaned[name]]));
}

export const EMPTY_STEP: PlanStep = {
  name: "",
  description: "",
  agent_role: "researcher",
  estimated_duration: "",
};
