/** The report while it is made: what it is to say, what an agent writes at this moment, and the way to the newest change. */

import { useEffect, useRef, useState } from "react";

import type { RunState } from "../api/client";
import { Notice } from "../parts/notices";
import type { useReport } from "../read/report/report-at";
import { isFound } from "../run-state/outcome";
import { isCall, type RunLog } from "../run-state/run-log";
import { useWords } from "../strings";
import { readSentences } from "./streamed-sentences";

/** The end of a text that is being written, which is what is new in it. */
const WRITING_CHARS = 600;

interface Given {
  state: RunState;
  log: RunLog;
}

/** Whether it is a text already, or what is known so far. */
export function DraftNotice({ state: { phases, results }, log: { patches } }: Given) {
  const { t } = useWords();
  const writers = new Set(phases.filter((phase) => !isFound(phase)).map(({ id }) => id));
  const isWritten = patches.length === 0 && Boolean(results.report);
  const isText = isWritten || writers.size === 0 || patches.some(({ phaseId }) => writers.has(phaseId));
  return <Notice>{t(isText ? "read.draft" : "work.known")}</Notice>;
}

/** What a phase that writes says at this moment. */
export function Writing({ state: { phases }, log: { items } }: Given) {
  const { t } = useWords();
  const writers = phases.filter((phase) => phase.status === "running" && !isFound(phase)).map(({ id }) => id);
  const call =
    writers.length > 0 &&
    items.findLast((item) => isCall(item) && item.kind === "model" && !item.endedAt && writers.includes(item.phaseId));
  const text = call && readSentences(call.text).slice(-WRITING_CHARS);
  if (!text) return null;
  return (
    <section className="writing" aria-labelledby="writing">
      <h3 id="writing" className="label">
        {t("work.writing")}
      </h3>
      <p>{text}</p>
    </section>
  );
}

/** Before anything is written: what the report is to say, as far as the plan knows. */
export function Outline({ state: { plan, phases } }: { state: RunState }) {
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
export function NewestChange({ document, before }: Pick<ReturnType<typeof useReport>, "document" | "before">) {
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
