import type { RunState } from "../api/client";
import type { Words } from "../strings";

/** Whether nothing but its planning may cost anything yet: its limit is then the start's, not what a plan is approved with. */
const isUnapproved = ({ phases, decisions }: RunState) =>
  phases.some(({ kind }) => kind === "hitl_checkpoint") &&
  !decisions.some(({ action }) => action === "approve" || action === "modify");

/** Return what a run has spent, and of what, in words: no plan's estimate beside it is mistaken for either. */
export function tellSpent(state: RunState, { t, usd }: Words): string {
  if (state.offline) return t("run.free");
  const spent = usd(state.usage.usd);
  return isUnapproved(state)
    ? t("run.spent.so-far", { usd: spent })
    : t("run.spent", { usd: spent, cap: usd(state.cap_usd) });
}
