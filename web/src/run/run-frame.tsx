/** One run: its question, its status, and the view for this status. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";

import { getState, listDefinitions, Problem, type Checkpoint, type Definition, type RunState } from "../api/client";
import { ErrorNotice, Loading, Missing, Notice } from "../parts/notices";
import "../parts/scrolling/shade.css";
import { pick } from "../parts/pick";
import { useWebPermission } from "../parts/hooks/web-permission";
import { StatusWord } from "../parts/lamp";
import { nameApart } from "../parts/text/name-apart";
import { useTitle } from "../parts/text/title";
import { useWords, type Key, type Words } from "../strings";
import { useFocusHeld } from "./focus-held";
import { endsWithPlan, hasRunEnded } from "../run-state/outcome";
import { Asked } from "./asked";
import { PausedNotice } from "./paused-notice";
import { PhaseStrip } from "./phase-strip";
import { About, RunHead } from "./run-head";
import { useRunLog, type RunLog } from "../run-state/run-log";
import { SettledElsewhere, useSettledElsewhere } from "./settled-elsewhere";
import "./run.css";

const PlanTab = lazy(() => import("./plan-tab"));
const WorkView = lazy(() => import("../watch/work-view"));
const ReportPage = lazy(() => import("../watch/report-page"));

const MILESTONES_MS = 250;
/** The stream says when to look; this is for what it cannot say, as while the database is away. */
const NET_MS = 15_000;

export default function RunFrame({ id, part }: { id: string; part: string }) {
  const { called } = useWords();
  const queries = useQueryClient();
  const state = useQuery({
    queryKey: ["state", id],
    queryFn: () => getState(id),
    refetchInterval: (query) => (query.state.data && hasRunEnded(query.state.data) ? false : NET_MS),
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const look = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: ["state", id] });
      void queries.invalidateQueries({ queryKey: ["report", id, 0] }); // the newest one, of work that has no changes
    }, MILESTONES_MS);
  }, [queries, id]);
  const log = useRunLog(id, look);
  useTitle(state.data?.query ?? "");
  const named = useMemo(() => state.data && namePhases(state.data, called), [state.data, called]);
  const definitions = useQuery({ queryKey: ["definitions"], queryFn: listDefinitions, staleTime: 60_000 });
  // Wait for them, because a later arrival would wrap the head and move everything below it.
  const isHeadDue = definitions.isPending && definitions.failureCount === 0;
  if (state.error instanceof Problem && state.error.status === 404) {
    return <Missing what="run" />;
  }
  if (state.error && !state.data) {
    return <ErrorNotice error={state.error} onRetry={() => void state.refetch()} />;
  }
  if (!named || isHeadDue) return <Loading />;
  const definition = definitions.data?.find((one) => one.id === named.definition_id);
  return <Run {...{ state: named, definition, log, part, look }} />;
}

/** Number phases with the same name, as on the cards of a definition. */
function namePhases(state: RunState, called: Words["called"]): RunState {
  const titles = nameApart(state.phases.map((phase) => called(phase)));
  return { ...state, phases: state.phases.map((phase, n) => ({ ...phase, title: pick(titles, n) })) };
}

interface Given {
  state: RunState;
  definition: Definition | undefined;
  log: RunLog;
  part: string;
  look: () => void;
}

function Run({ state, definition, log, part, look }: Given) {
  const { t } = useWords();
  const checkpoint = state.pending[0];
  const hasEnded = hasRunEnded(state);
  const last = endsWithPlan(state) ? "plan" : "report";
  const watched = useWatched(part, hasEnded);
  const isRead = part === "" && (log.patches.length > 0 || Boolean(state.results.report));
  const announced = useAnnounced(checkpoint?.checkpoint_id, isRead);
  const isAsked = checkpoint !== undefined && !announced.is;
  const here = findView(part, { hasEnded, isAsked, last, watched });
  const isToldBelow = here !== "" && checkpoint !== undefined;
  const isReport = here === "report" || (here === "work" && !hasEnded); // one that grows is read where one watches it
  const isSlim = here === (hasEnded ? "report" : "work"); // phases, timing and the plan are behind its details
  const about = <About {...{ state, definition }} />;
  const elsewhere = useSettledElsewhere(state);
  const frame = useFocusHeld(
    `${isReport ? "report" : here} ${(isAsked && checkpoint?.checkpoint_id) || ""}`,
    String(hasEnded),
  );
  const at = (name: string) => `/runs/${state.run_id}${name && `/${name}`}`;
  const [, navigate] = useLocation();
  const place = here === "report" && part === "work" ? at("report") : ""; // its end was watched there
  useEffect(() => {
    if (place) navigate(place, { replace: true });
  }, [place, navigate]);
  const tabs: [string, Key][] = [
    ...(checkpoint ? [["", checkpoint.kind === "questions" ? "run.questions" : "run.decision"] as [string, Key]] : []),
    ...(state.plan ? [["plan", "run.plan"] as [string, Key]] : []),
    ["work", "run.work"],
    ...(hasEnded && last === "report" ? [["report", "run.report"] as [string, Key]] : []),
  ];
  return (
    <div className="run stack" ref={frame} data-part={here}>
      <RunHead {...{ state, log, look, isSlim, about, isToldBelow }} onCancel={elsewhere.onCancel} />
      {here === "plan" && <PhaseStrip state={state} newest={definition} />}
      {!(isSlim && hasEnded) && (
        <nav className="tabs shaded" aria-label={t("run.parts")}>
          {tabs.map(([name, title]) => (
            <Link
              key={name}
              href={at(name)}
              aria-current={here === name ? "page" : undefined}
              data-asks={name === "" || undefined}
              onClick={name === "" ? announced.open : undefined}
            >
              {t(title)}
            </Link>
          ))}
        </nav>
      )}
      <SettledElsewhere {...elsewhere} />
      <PausedNotice state={state} />
      {here === "work" && <Next state={state} />}
      <Suspense fallback={<Loading />}>
        {here === "" && <Asked state={state} elsewhere={elsewhere} />}
        {here === "plan" && <PlanTab state={state} />}
        {here === "work" && hasEnded && <WorkView state={state} log={log} />}
        {isReport && <ReportPage {...{ state, log, about }} onDetails={watched.onDetails} />}
        {!["", "plan", "work", "report"].includes(here) && <Missing />}
      </Suspense>
      {isToldBelow && <WaitsForYou checkpoint={checkpoint} href={at("")} onOpen={announced.open} />}
    </div>
  );
}

/** Where a run is watched at this moment, and whether its details are open there; once it has ended, where its end was seen. */
function useWatched(part: string, hasEnded: boolean) {
  const [place, setPlace] = useState(hasEnded ? null : part);
  const [hasDetails, onDetails] = useState(false);
  const now = hasEnded && place !== part ? null : part;
  if (place !== now) setPlace(now);
  return { place, hasDetails, onDetails };
}

const TOUCHES = ["pointerdown", "keydown", "wheel", "touchmove"];

/** Return what the run asked as one last pressed, scrolled or typed: undefined, nothing; null, one did not yet. */
function useTouched(asked: string | undefined) {
  const [touched, setTouched] = useState<string | null | undefined>(null);
  useEffect(() => {
    const touch = () => setTouched(asked);
    for (const name of TOUCHES) window.addEventListener(name, touch, { passive: true });
    return () => {
      for (const name of TOUCHES) window.removeEventListener(name, touch);
    };
  }, [asked]);
  return touched;
}

/** A checkpoint that opens where its run's report is being read takes its place only when it is asked for. */
function useAnnounced(asked: string | undefined, isRead: boolean) {
  const [before, setBefore] = useState(asked);
  const [is, setIs] = useState(false);
  const touched = useTouched(asked);
  if (before !== asked) {
    setBefore(asked);
    setIs(asked !== undefined && before === undefined && isRead && touched === undefined);
  }
  return { is, open: () => setIs(false) };
}

/** Below what is read meanwhile: what the run waits for, and the way there. */
function WaitsForYou({ checkpoint, href, onOpen }: { checkpoint: Checkpoint; href: string; onOpen: () => void }) {
  const { t, say } = useWords();
  return (
    <div className="waits-for-you bottom-bar apart" role="status">
      <p className="clamped">
        <StatusWord status="waiting" />
        {checkpoint.kind === "decision" && `: ${(checkpoint.asks ?? []).map((ask) => say(ask)).join(" ")}`}
      </p>
      <Link className="button primary" href={href} onClick={onOpen}>
        {t(checkpoint.kind === "questions" ? "run.waits.answer" : "run.waits.decide")}
      </Link>
    </div>
  );
}

interface Moment {
  hasEnded: boolean;
  isAsked: boolean;
  /** What one comes for once the run has ended. */
  last: "report" | "plan";
  watched: { place: string | null; hasDetails: boolean };
}

/** Return the view at an address of a run; who watches the report grow goes on reading it when the run ends. */
function findView(part: string, { hasEnded, isAsked, last, watched }: Moment): string {
  if (!hasEnded) return part === "report" ? "work" : part || (isAsked ? "" : "work");
  const isSeen = watched.place === part && last === "report" && ["", "work"].includes(part);
  if (isSeen) return watched.hasDetails ? "work" : last;
  return part === "report" ? last : part || last;
}

/** Until there is a plan to approve: what is being made, and, where that is so, that nothing is searched before. */
function Next({ state }: { state: RunState }) {
  const { t } = useWords();
  const { stage, status, pending } = state;
  const permission = useWebPermission(state.definition_id);
  if (
    permission !== "approval" ||
    pending.length > 0 ||
    status !== "running" ||
    (stage !== "clarify" && stage !== "plan")
  )
    return null;
  return <Notice>{t(`run.next.${stage}`)}</Notice>;
}
