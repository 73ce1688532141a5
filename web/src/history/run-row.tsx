import { Link } from "wouter";

import type { RunSummary } from "../api/client";
import { EndWord, StatusWord, type Status } from "../parts/lamp";
import { RunKind, RunTime } from "../parts/run-facts";
import type { Apart } from "../parts/same-question-runs";
import { useWords } from "../strings";

interface Given {
  run: RunSummary;
  kind: string | undefined;
  /** How it differs from others in the list that ask the same; undefined: none does. */
  apart?: Apart | undefined;
  /** It left the list, in which its place is kept. */
  isGone?: boolean;
  isPicked?: boolean;
  onCompare?: () => void;
}

/** A run in a list: its question, status, time and price. */
export function RunRow({ run, kind, apart, isGone = false, isPicked = false, onCompare }: Given) {
  const { t, usd } = useWords();
  return (
    <li className="apart" data-picked={isPicked || undefined}>
      <Link href={`/runs/${run.run_id}`}>
        <span className="question">{run.query || run.run_id}</span>
        <small className="row">
          {isGone ? (
            <span>{t("list.gone")}</span>
          ) : run.asks ? (
            <StatusWord status="waiting" says={`run.${run.asks}`} />
          ) : (
            <EndWord status={run.status as Status} foundNothing={run.found_nothing} />
          )}
          <RunKind {...{ run, kind, apart }} />
          <RunTime {...{ run, apart }} />
          <span>{run.offline ? t("run.free") : usd(run.usage.usd)}</span>
        </small>
      </Link>
      {onCompare && (
        <button type="button" className="quiet" aria-pressed={isPicked} onClick={onCompare}>
          {t(isPicked ? "runs.compare.picked" : "runs.compare")}
        </button>
      )}
    </li>
  );
}
