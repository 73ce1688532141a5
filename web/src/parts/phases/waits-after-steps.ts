import type { Definition } from "../../api/client";

/** The way to research that shows each step's result before the next one begins. */
export const EACH_STEP = "deep_research_full_hitl";

/** Whether runs of a definition stop after each step of the plan, for its result to be decided on. */
export const waitsAfterSteps = ({ phases }: Definition) =>
  phases.some(
    ({ enabled, config }) => enabled && config && "checkpoint_after_step" in config && config.checkpoint_after_step,
  );
