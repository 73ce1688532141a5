/** Reading: the report, what each sentence rests on, how it grew, what it cost, what to ask next; before its end, as it grows. */

import { useMemo, useState, type ReactNode } from "react";
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
import { Facts } from "../parts/text/facts";

/** Notices outside of the report, because they are not about its content. */
const BESIDE = ["startup-unsaved", "record-set-aside"];

type Shown = Pick<ReturnType<typeof useReport>, "document" | "before">;

interface Given {
  state: RunState;
  log: RunLog;
  /** What a report that grows is shown with; null: the run has ended. */
  growing?: {
    /** In place of a report that does not exist yet. */
    outline: ReactNode;
    above: ReactNode;
    below: (report: Shown) => ReactNode;
    rail: ReactNode;
  } | null;
}

export default function ReadView({ state, log, growing = null }: Given) {
  const { t, say } = useWords();
  const [moment, setMoment] = useState<number | null>(null);
  const isWritten = log.patches.length > 0 || !state.phases.every(isFound);
  const { seq, before } = growing ? findNewest(state, log) : findMoment(isWritten, log, moment);
  const report = useReport(state.run_id, seq, before);
  const earlier = useReport(state.parent ?? "", useEarlier(state) ? 0 : undefined).document;
  const [isMarked, setMarked] = useState(false);
  const outputs = useOutputs(state);
  const isReport = isWhole(state, log);
  const warnings = state.notices.filter(({ code }) => BESIDE.includes(code)).map((notice) => say(notice));
  const missing = state.notices.filter(({ code }) => !BESIDE.includes(code));
  const document = report.document;
  const isOfStandIn = state.offline && !state.recorded;
  const changes = useMemo(() => earlier && document && compareReports(earlier, document), [earlier, document]);
  const known = useMemo(
    () => (isMarked && changes && document ? leaveOut(document, changes) : null),
    [isMarked, changes, document],
  );
  if (growing && !document) {
    return (
      <div className="read growing">
        <div className="contents" />
        {growing.outline}
        <aside className="beside">{growing.rail}</aside>
      </div>
    );
  }
  const isBare = !growing && !isReport && hasGiven(state, outputs.data) === false; // its report says no more than how it ended
  if (isBare || (!document && (report.error || (!isWritten && outputs.data)))) {
    return <WithoutReport state={state} outputs={outputs.data?.outputs ?? {}} effort={outputs.data?.effort ?? {}} />;
  }
  if (!isWritten && outputs.error) return <ErrorNotice error={outputs.error} onRetry={() => void outputs.refetch()} />;
  if (!document) return <Loading />;
  if (growing) {
    return (
      <Remarks runId={state.run_id} isOffered={false}>
        <Reader
          className="growing"
          runId={state.run_id}
          document={document}
          before={report.before}
          hasEnded={false}
          above={growing.above}
          below={growing.below(report)}
          rail={growing.rail}
        />
      </Remarks>
    );
  }
  return (
    <Remarks runId={state.run_id} isOffered={isReport}>
      <Reader
        runId={state.run_id}
        document={document}
        before={moment === null ? known : report.before}
        hasEnded
        isOfStandIn={isOfStandIn}
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
            {isOfStandIn && !hasFoundNothing(state) && <Notice kind="wait">{t("read.offline")}</Notice>}
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
    </Remarks>
  );
}

/** The newest change of a report that grows, and the one before; one without changes is written at its end. */
function findNewest({ results }: RunState, { patches }: RunLog) {
  return { seq: patches.at(-1)?.seq ?? (results.report ? 0 : undefined), before: patches.at(-2)?.seq };
}

/** A change of a report that is whole, and the one before; without a moment the report at its end. */
function findMoment(isWritten: boolean, { patches }: RunLog, moment: number | null) {
  if (moment === null) return { seq: isWritten ? 0 : undefined, before: undefined };
  return { seq: isWritten ? (patches[moment]?.seq ?? 0) : undefined, before: patches[moment - 1]?.seq };
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
        <small>
          <Facts of={[t("decision.reject"), decision.by, date(decision.at)]} />
        </small>
      </figcaption>
    </figure>
  );
}
