/** The report while it is made: what is known so far, then its text, with the newest change marked. */

import { useEffect, useRef, useState, type ReactNode } from "react";

import type { RunState } from "../api/client";
import { Notice } from "../parts/notices";
import { Reader } from "../read/reader";
import { useReport } from "../read/report/report-at";
import { isFound } from "../run-state/outcome";
import { isCall, type RunLog } from "../run-state/run-log";
import { useWords } from "../strings";
import { readWords } from "./read-words";

/** The end of a text that is being written, which is what is new in it. */
const WRITING_CHARS = 600;

interface Given {
  state: RunState;
  log: RunLog;
  /** The content at its side. */
  rail: ReactNode;
}

export function GrowingReport({ state, log, rail }: Given) {
  const { t } = useWords();
  const { patches } = log;
  const newest = patches.at(-1)?.seq ?? (state.results.report ? 0 : undefined);
  const { document, before } = useReport(state.run_id, newest, patches.at(-2)?.seq);
  const writing = useWriting(state, log);
  if (!document) {
    return (
      <div className="read growing">
        <div className="contents" />
        <Outline state={state} />
        <aside className="beside">{rail}</aside>
      </div>
    );
  }
  const writers = new Set(state.phases.filter((phase) => !isFound(phase)).map(({ id }) => id));
  const isText = newest === 0 || writers.size === 0 || patches.some(({ phaseId }) => writers.has(phaseId));
  return (
    <Reader
      className="growing"
      runId={state.run_id}
      document={document}
      before={before}
      hasEnded={false}
      above={<Notice>{t(isText ? "read.draft" : "work.known")}</Notice>}
      below={
        <>
          {writing && (
            <section className="writing" aria-labelledby="writing">
              <h3 id="writing" className="label">
                {t("work.writing")}
              </h3>
              <p>{writing}</p>
            </section>
          )}
          <NewestChange document={document} before={before} />
        </>
      }
      rail={rail}
    />
  );
}

/** What a phase that writes says at this moment. */
function useWriting({ phases }: RunState, { items }: RunLog): string {
  const writers = phases.filter((phase) => phase.status === "running" && !isFound(phase)).map(({ id }) => id);
  if (writers.length === 0) return "";
  const call = items.findLast(
    (item) => isCall(item) && item.kind === "model" && !item.endedAt && writers.includes(item.phaseId),
  );
  return call ? readWords(call.text).slice(-WRITING_CHARS) : "";
}

/** Before anything is written: what the report is to say, as far as the plan knows. */
function Outline({ state: { plan, phases } }: { state: RunState }) {
  const { t } = useWords();
  if (phases.every(isFound)) return <p className="reading muted">{t("work.no-report")}</p>;
  return (
    <div className="reading to-come">
      {plan && <h2>{plan.title}</h2>}
      <p className="muted">{t("read.not-yet")}</p>
      <ul className="plain">
        {(plan?.outline ?? []).map((heading) => (
          <li key={heading}>{heading}</li>
        ))}
      </ul>
    </div>
  );
}

/** The way to the newest change, while that is out of sight. */
function NewestChange({ document, before }: Pick<ReturnType<typeof useReport>, "document" | "before">) {
  const { t } = useWords();
  const sign = useRef<HTMLSpanElement>(null);
  const [target, setTarget] = useState<Element | null>(null);
  useEffect(() => {
    const report = sign.current?.closest(".reading");
    const found = report?.querySelector("[data-new]");
    if (!found) return setTarget(null);
    const watcher = new IntersectionObserver(([seen]) => setTarget(seen?.isIntersecting ? null : found));
    watcher.observe(found);
    return () => watcher.disconnect();
  }, [document, before]);
  return (
    <span className="at-change" ref={sign}>
      {target && (
        <button type="button" className="newest" onClick={() => target.scrollIntoView({ block: "center" })}>
          {t("work.change")}
        </button>
      )}
    </span>
  );
}
