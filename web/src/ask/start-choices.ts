/** The user's choices for a question, and the resulting start request. */

import type { Definition, Depth, OwnFile, Start } from "../api/client";
import type { Values } from "../parts/form/field-schema";

export interface Choices {
  inputs: Values;
  /** Limits of the phases that read the web. */
  limits: Values;
  budget: string;
  /** How much is searched, read and reviewed; the start's own default where nothing is chosen. */
  depth?: Depth;
  startup: string;
  fresh: boolean;
  batch: boolean;
  temporary: boolean;
  files: OwnFile[];
  /** Names of collections. */
  collections?: string[];
}

/** As many as a start may name. */
export const MOST_FILES = 10;

export const EMPTY: Choices = {
  inputs: {},
  limits: {},
  budget: "",
  startup: "",
  fresh: false,
  batch: false,
  temporary: false,
  files: [],
  collections: [],
};

export const isLimited = (definition: Definition | undefined) =>
  definition?.phases.some((phase) => phase.kind === "research") ?? false;

export function toStart(query: string, choices: Choices, definition: Definition | undefined): Start {
  const { timeout_seconds, ...config } = choices.limits;
  const limit = {
    ...(timeout_seconds === undefined ? {} : { timeout_seconds: Number(timeout_seconds) }),
    config,
  };
  const hasLimits = Object.keys(choices.limits).length > 0;
  const limited = (definition?.phases ?? []).filter((phase) => phase.kind === "research");
  return {
    query: query.trim(),
    inputs: choices.inputs,
    ...(choices.budget ? { budget: Number(choices.budget) } : {}),
    ...(choices.depth && choices.depth !== "standard" ? { depth: choices.depth } : {}),
    ...(choices.startup ? { startup_id: choices.startup } : {}),
    ...(choices.fresh ? { fresh: true } : {}),
    ...(choices.batch ? { batch: true } : {}),
    ...(choices.files.length > 0 ? { files: choices.files.map((file) => file.id) } : {}),
    ...(choices.collections?.length ? { collections: choices.collections } : {}),
    ...(choices.temporary ? { temp_workflow: true } : {}),
    ...(hasLimits ? { config_overrides: Object.fromEntries(limited.map((phase) => [phase.id, limit])) } : {}),
  };
}
