/** Reading: the report, what each sentence rests on, how it grew, what it cost, what to ask next. */

import { useMemo, useState } from "react";
import { Link } from "wouter";

import type { Decision, Effort, Json, RunState } from "../api/client";
import { MoreBelow } from "../parts/scrolling/more-below";
import { ErrorNotice, Loading, Notice } from "../parts/notices";
import { Readable } from "../parts/text/readable";
import { hasFoundNothing, isFound, isShownElsewhere } from "../run-state/outcome";
import type { RunLog } from "../run-state/run-log";
import { useWords, type Key } from "../strings";
import { useEarlier } from "./afterwards/earlier";
import { Efforts } from "./efforts";
import { EndNotices } from "./end-notices";
import { hasFindings, Made } from "./findings";
import { FollowUp, RunAgain } from "./afterwards/follow-up";
import { Growth } from "./growth";
import { hasGiven, isWhole, useOutputs } from "./outputs";
import { Reader } from "./reader";
import { Remarks } from "./afterwards/remarks";
import { compareReports, leaveOut } from "./report/changes";
import { useReport } from "./report/report-at";
import { Since } from "./afterwards/since";
import { SourceList } from "./report/source-list";
import { Summary } from "./summary";

/** Notices outside of the report, because they are not about its content. */
const BESIDE = ["startup-unsaved", "record-set-aside"];

export default function ReadView({ state, log }: { state: RunState; log: RunLog }) {
  const { t, say } = useWords();
  const [moment, setMoment] = useState<number | null>(null);
  const isWritten = log.patches.length > 0 || !state.phases.every(isFound);
  const patch = moment === null ? undefined : log.patches[moment];
  const before = moment === null ? undefined : log.patches[moment - 1]?.seq;
  const report = useReport(state.run_id, isWritten ? (patch?.seq ?? 0) : undefined, before);
  const earlier = useReport(state.parent ?? "", useEarlier(state) ? 0 : undefined).document;
  const [isMarked, setMarked] = useState(false);
  const outputs = useOutputs(state);
  const isReport = isWhole(state, log);
  const warnings = state.notices.filter(({ code }) => BESIDE.includes(code)).map((notice) => say(notice));
  const missing = state.notices.filter(({ code }) => !BESIDE.includes(code));
  const document = report.document;
  const changes = useMemo(() => earlier && document && compareReports(earlier, document), [earlier, document]);
  const known = useMemo(
    () => (isMarked && changes && document ? leaveOut(document, changes) : null),
    [isMarked, changes, document],
  );
  const isBare = !isReport && hasGiven(state, outputs.data) === false; // its report says no more than how it ended
  if (isBare || (!document && (report.error || (!isWritten && outputs.data)))) {
    return <WithoutReport state={state} outputs={outputs.data?.outputs ?? {}} effort={outputs.data?.effort ?? {}} />;
  }
  if (!isWritten && outputs.error) return <ErrorNotice error={outputs.error} onRetry={() => void outputs.refetch()} />;
  if (!document) return <Loading />;
  const reader = (
    <Reader
      runId={state.run_id}
      document={document}
      before={moment === null ? known : report.before}
      hasEnded
      above={
        moment !== null && (
          <Notice kind="wait">
            {t("read.growth.then", { n: moment + 1, all: log.patches.length })}{" "}
            <button type="button" onClick={() => setMoment(null)}>
              {t("read.growth.back")}
            </button>
          </Notice>
        )
      }
      opening={
        <>
          {state.offline && !state.recorded && !hasFoundNothing(state) && (
            <Notice kind="wait">{t("read.offline")}</Notice>
          )}
          {changes && moment === null && <Since changes={changes} isMarked={isMarked} onMark={setMarked} />}
          <EndNotices notices={missing}>
            {hasFoundNothing(state) && state.offline && <HowToConnect state={state} />}
          </EndNotices>
          {document.summary && <Summary text={document.summary} />}
        </>
      }
      below={
        <>
          {log.patches.length > 1 && <Growth patches={log.patches} moment={moment} onMoment={setMoment} />}
          {isReport ? <FollowUp state={state} /> : <RunAgain state={state} />}
        </>
      }
      beside={
        <>
          {warnings.length > 0 && (
            <section aria-labelledby="warnings">
              <h2 id="warnings" className="label">
                {t("read.warnings")}
              </h2>
              <Readable value={warnings} />
            </section>
          )}
          {outputs.data?.effort && <Efforts state={state} effort={outputs.data.effort} />}
        </>
      }
    />
  );
  return isReport ? <Remarks runId={state.run_id}>{reader}</Remarks> : reader;
}

/** Why the stand-in found nothing, and the way to a model and a search. */
function HowToConnect({ state }: { state: RunState }) {
  const { t, say } = useWords();
  return (
    <p>
      {state.place && t("read.nothing.offline", { place: say(state.place, state.searched) })}{" "}
      <Link href="/settings">{t("read.nothing.connect")}</Link>
    </p>
  );
}

const WHY_MISSING: Partial<Record<RunState["status"], Key>> = {
  failed: "read.missing.failed",
  cancelled: "read.missing.cancelled",
  rejected: "read.missing.rejected",
};

interface WithoutGiven {
  state: RunState;
  outputs: Record<string, Json>;
  effort: Record<string, Effort>;
}

/** A run that makes no report shows what it made; one that could not, why, and the way on. */
function WithoutReport({ state, outputs, effort }: WithoutGiven) {
  const { t, say } = useWords();
  const failures = state.phases.filter((phase) => phase.error);
  const made = state.phases.findLast((phase) => outputs[phase.id] && !isShownElsewhere(phase));
  const isWhole = made !== undefined && state.status === "completed";
  return (
    <div className="read made">
      <div className="read-none stack">
        <h2>{t(isWhole ? "read.made" : "read.missing")}</h2>
        <p>
          {t(isWhole ? "read.made.why" : (WHY_MISSING[state.status] ?? "read.missing.why"))}{" "}
          {made && hasFindings(outputs[made.id]!) && t("read.made.pages")}
        </p>
        {state.status === "rejected" && <Reason decision={state.decisions.at(-1)} />}
        {failures.map(({ id, title, error }) => (
          <div className="notice" data-kind="error" key={id}>
            <p>
              <b>{title}:</b> {error?.notice ? say(error.notice, error.message) : error?.message}
            </p>
          </div>
        ))}
        {made && <Made runId={state.run_id} output={outputs[made.id]!} />}
        <RunAgain state={state} />
      </div>
      <aside className="beside scrolls">
        {Object.keys(effort).length > 0 && <Efforts state={state} effort={effort} />}
        <SourceList runId={state.run_id} hasEnded />
        <MoreBelow of="list.sources" items=".source-list li" />
      </aside>
    </div>
  );
}

/** Why a run was rejected, in the words of who did so. */
function Reason({ decision }: { decision: Decision | undefined }) {
  const { t, date } = useWords();
  if (!decision?.feedback) return null;
  return (
    <figure>
      <blockquote>{decision.feedback}</blockquote>
      <figcaption>
        <small>{[t("decision.reject"), decision.by, date(decision.at)].filter(Boolean).join(" · ")}</small>
      </figcaption>
    </figure>
  );
}
