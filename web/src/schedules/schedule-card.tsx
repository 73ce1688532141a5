/** One schedule: its times, spending limit, status, and latest runs. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { Link } from "wouter";

import {
  deleteSchedule,
  getRunChanges,
  getSchedule,
  pauseSchedule,
  triggerSchedule,
  type KeptSchedule,
  type RepeatedRun,
  type Schedule,
} from "../api/client";
import { ConfirmDelete } from "../parts/dialog/confirm-delete";
import type { DialogHandle } from "../parts/dialog/dialog";
import { StatusWord, type Status } from "../parts/lamp";
import { ErrorNotice, Loading } from "../parts/notices";
import { useWords } from "../strings";
import { describeTimes } from "./times";

const REFRESH_MS = 30_000;
const SOON_MS = 2_000;
/** Its next times are shown in its own time zone, like its rule. */
const AT = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
/** Runs of a schedule that are shown; all are in the list of runs. */
const SHOWN = 5;

export function ScheduleCard({ kept }: { kept: KeptSchedule }) {
  const words = useWords();
  const { t, usd } = words;
  const queries = useQueryClient();
  const question = useRef<DialogHandle>(null);
  const queryKey = ["schedule", kept.id];
  const started = useMutation({
    mutationFn: (_newestBefore: string | undefined) => triggerSchedule(kept.id),
    onSettled: reload,
  });
  const found = useQuery({
    queryKey,
    queryFn: () => getSchedule(kept.id),
    refetchInterval: ({ state }) =>
      (state.data?.running?.length ?? 0) > 0 || isAwaited(state.data) ? SOON_MS : REFRESH_MS,
  });
  const schedule = found.data;
  const isPaused = schedule?.state === "paused";
  const paused = useMutation({ mutationFn: () => pauseSchedule(kept.id, !isPaused), onSettled: reload });
  const name = kept.name || kept.query;
  const error = started.error ?? paused.error;
  const recent = [...(schedule?.recent ?? [])].reverse().slice(0, SHOWN);

  function reload() {
    return queries.invalidateQueries({ queryKey });
  }

  /** A run that was started at once is named a moment later; Temporal names the newest ten alone. */
  function isAwaited(now: Schedule | undefined) {
    return started.isSuccess && findNewest(now) === started.variables;
  }

  return (
    <li className="card stack" aria-labelledby={kept.id}>
      <div className="stack">
        <h2 id={kept.id} className="clamped">
          {name}
        </h2>
        <p>
          {describeTimes(kept, words)}
          {kept.budget ? `, ${t("schedules.each", { usd: usd(kept.budget) })}` : ""}
        </p>
        {schedule && <Next schedule={schedule} />}
      </div>
      {found.isPending && <Loading />}
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
      <div className="row">
        <button
          type="button"
          aria-label={t("schedules.now.one", { name })}
          disabled={!schedule || started.isPending || schedule.state === "missing"}
          onClick={() => started.mutate(findNewest(schedule))}
        >
          {t("schedules.now")}
        </button>
        <button
          type="button"
          className="quiet"
          aria-label={t(isPaused ? "schedules.resume.one" : "schedules.pause.one", { name })}
          disabled={!schedule || paused.isPending || schedule.state === "missing"}
          onClick={() => paused.mutate()}
        >
          {t(isPaused ? "schedules.resume" : "schedules.pause")}
        </button>
        <button
          type="button"
          className="quiet danger"
          aria-label={t("schedules.delete.one", { name })}
          onClick={() => question.current?.open()}
        >
          {t("schedules.delete")}
        </button>
      </div>
      {error && <ErrorNotice error={error} />}
      {isAwaited(schedule) && (
        <p role="status" className="muted">
          {t("schedules.started")}
        </p>
      )}
      {schedule && (
        <section className="stack" aria-label={t("schedules.recent.of", { name })}>
          <h3 className="label">{t("schedules.recent")}</h3>
          {recent.length === 0 && <p className="muted">{t("schedules.recent.none")}</p>}
          <ul className="plain stack">
            {recent.map((run) => (
              <RunLine key={run.run_id} schedule={kept.id} run={run} />
            ))}
          </ul>
          {(schedule.skipped ?? 0) > 0 && (
            <p className="muted">{t("schedules.skipped", { n: schedule.skipped ?? 0 })}</p>
          )}
        </section>
      )}
      <ConfirmDelete
        handle={question}
        title={t("schedules.delete.title", { name })}
        text={t("schedules.delete.text")}
        yes={t("schedules.delete.yes")}
        onDelete={() => deleteSchedule(kept.id)}
        onGone={() => queries.invalidateQueries({ queryKey: ["schedules"] })}
      />
    </li>
  );
}

const findNewest = (schedule: Schedule | undefined) => schedule?.recent?.at(-1)?.run_id;

/** What comes next, or why nothing does. */
function Next({ schedule }: { schedule: Schedule }) {
  const { t, language } = useWords();
  const clock = new Intl.DateTimeFormat(language, { ...AT, timeZone: schedule.time_zone });
  const date = (at: string) => clock.format(new Date(at));
  if (schedule.state === "missing") return <p className="danger">{t("schedules.missing")}</p>;
  if (schedule.state === "paused") {
    return (
      <p>
        <StatusWord status="paused" says="schedules.paused" /> {schedule.note}
      </p>
    );
  }
  const [next, ...later] = schedule.next_at ?? [];
  if (!next) return null;
  return (
    <details>
      <summary>
        {t("schedules.next")} <time dateTime={next}>{date(next)}</time>
      </summary>
      <ol className="plain muted">
        {later.map((at) => (
          <li key={at}>
            <time dateTime={at}>{date(at)}</time>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** A schedule's run: its time, its status, and its changes since the previous run. */
function RunLine({ schedule, run }: { schedule: string; run: RepeatedRun }) {
  const { t, say, date } = useWords();
  const isWhole = run.status === "completed" || run.status === "partial";
  const found = useQuery({
    queryKey: ["run-changes", run.run_id],
    queryFn: () => getRunChanges(schedule, run.run_id),
    enabled: isWhole,
    staleTime: Infinity,
    retry: false,
  });
  const changes = found.data;
  const { added = 0, removed = 0 } = changes ?? {};
  const what = changes?.uncompared
    ? say(changes.uncompared)
    : added + removed > 0
      ? t("schedules.changed", { added, removed })
      : t("schedules.unchanged");
  return (
    <li className="row">
      <Link href={`/runs/${run.run_id}`}>
        <time dateTime={run.scheduled_at}>{date(run.scheduled_at)}</time>
      </Link>
      <StatusWord status={(run.status || "pending") as Status} />
      {changes && <span>{what}</span>}
      {found.error && <span className="muted">{t("schedules.uncompared")}</span>}
      {changes?.previous_run_id && !changes.uncompared && (
        <Link href={`/compare/${changes.previous_run_id}/${run.run_id}`}>{t("schedules.compare")}</Link>
      )}
    </li>
  );
}
