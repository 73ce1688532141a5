import type { RunState } from "../api/client";
import { readText } from "../api/json";
import { Lamp } from "../parts/lamp";
import { standingOf } from "../run-state/outcome";
import { isCall, type Call, type RunLog } from "../run-state/run-log";
import { tellSpent } from "../run-state/spent";
import { useWords } from "../strings";
import { CallLine } from "./call-row";

/** One line: what happens now, how many pages were read, and what was spent of how much. */
export function NowLine({ state, log }: { state: RunState; log: RunLog }) {
  const words = useWords();
  const { t } = words;
  const here = state.phases.find((phase) => ["running", "waiting"].includes(phase.status));
  const call = findNow(log);
  return (
    <section className="now apart" aria-label={t("work.now")}>
      <p className="doing">
        {here && <Lamp status={standingOf(here, state)} />}
        <b>{here ? here.title : t(`status.${state.status}`)}</b>{" "}
        {call && <CallLine call={call} title={log.titles.get(readText(call.given, "url"))} />}
      </p>
      <p className="taken row figure">
        <span>{t("work.now.pages", { n: log.pages.length })}</span>
        <span>{tellSpent(state, words)}</span>
        {!state.offline && <meter max={state.cap_usd} value={state.usage.usd} aria-label={t("read.cost.usd")} />}
      </p>
    </section>
  );
}

/** The newest open call; a tool's call says more than the turn that waits for it. */
function findNow({ items }: RunLog): Call | undefined {
  const isOpen =
    (kind: Call["kind"]) =>
    (item: RunLog["items"][number]): item is Call =>
      isCall(item) && item.kind === kind && item.endedAt === null;
  return items.findLast(isOpen("tool")) ?? items.findLast(isOpen("model"));
}
