import type { RunSummary } from "../api/client";
import { useWords } from "../strings";
import { nameDepth } from "./depth-rows";
import type { Apart } from "./same-question-runs";
import { Facts } from "./text/facts";

interface Given {
  run: RunSummary;
  kind: string | undefined;
  /** How it differs from others in the list that ask the same; undefined: none does. */
  apart: Apart | undefined;
}

/** When a run began, to the minute or second that tells it apart; else how long ago it ended. */
export function RunTime({ run, apart }: Omit<Given, "kind">) {
  const { ago, date } = useWords();
  return (
    <time dateTime={run.started_at} title={date(run.started_at)}>
      {apart ? date(run.started_at, apart.second) : ago(run.ended_at ?? run.started_at)}
    </time>
  );
}

/** What kind of research it is; its version, its depth and what it goes on from where another that asks the same differs. */
export function RunKind({ run, kind, apart }: Given) {
  const { t } = useWords();
  const told = [
    kind ?? run.definition_id,
    apart?.version && t("runs.version", { n: run.definition_version }),
    apart?.depth && run.depth && t(nameDepth(run.depth)),
    apart && run.parent && t("run.parent"),
  ];
  return <Facts of={told} />;
}
