/** The fields of a new schedule: the run to repeat, days, time, time zone, and spending limit. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";

import { createSchedule, listRuns, type RunSummary, type ScheduleBody } from "../api/client";
import { ErrorNotice } from "../parts/notices";
import { useWords } from "../strings";
import { describeTimes, nameDay, ownZone, WEEKDAYS, ZONES } from "./times";

const OVERLAPS = ["skip", "queue", "beside"] as const;
const MOST_RUNS = 100;

interface Given {
  /** The run that is repeated; empty: one is chosen here. */
  from: string;
  onMade: () => void;
  onLeave: () => void;
}

export function ScheduleForm({ from, onMade, onLeave }: Given) {
  const words = useWords();
  const { t } = words;
  const queries = useQueryClient();
  const [body, setBody] = useState({
    from_run: from,
    name: "",
    weekdays: [...WEEKDAYS] as NonNullable<ScheduleBody["weekdays"]>,
    time: "09:00",
    time_zone: ownZone(),
    overlap: "skip" as NonNullable<ScheduleBody["overlap"]>,
    budget: "",
    probe: true,
  });
  const made = useMutation({
    mutationFn: () => createSchedule({ ...body, budget: body.budget ? Number(body.budget) : null }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ["schedules"] });
      onMade();
    },
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    made.mutate();
  }
  return (
    <form className="card stack" onSubmit={submit} aria-label={t("schedules.new")}>
      <RunField chosen={body.from_run} onChange={(from_run) => setBody({ ...body, from_run })} />
      <fieldset>
        <legend>{t("schedules.days")}</legend>
        <div className="row">
          {WEEKDAYS.map((day) => (
            <label className="check" key={day}>
              <input
                type="checkbox"
                checked={body.weekdays.includes(day)}
                onChange={({ target }) =>
                  setBody({
                    ...body,
                    weekdays: WEEKDAYS.filter((one) => (one === day ? target.checked : body.weekdays.includes(one))),
                  })
                }
              />
              {nameDay(day, words.language)}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="clock row">
        <label className="field">
          <span>{t("schedules.time")}</span>
          <input
            type="time"
            required
            value={body.time}
            onChange={({ target }) => setBody({ ...body, time: target.value })}
          />
        </label>
        <label className="field">
          <span>{t("schedules.zone")}</span>
          <select value={body.time_zone} onChange={({ target }) => setBody({ ...body, time_zone: target.value })}>
            {[...new Set([body.time_zone, ...ZONES])].map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{t("schedules.budget")}</span>
          <input
            type="number"
            min="0.01"
            step="0.01"
            value={body.budget}
            onChange={({ target }) => setBody({ ...body, budget: target.value })}
          />
          <small>{t("schedules.budget.hint")}</small>
        </label>
      </div>
      <fieldset>
        <legend>{t("schedules.overlap")}</legend>
        <div className="row">
          {OVERLAPS.map((overlap) => (
            <label className="check" key={overlap}>
              <input
                type="radio"
                name="overlap"
                checked={body.overlap === overlap}
                onChange={() => setBody({ ...body, overlap })}
              />
              {t(`schedules.overlap.${overlap}`)}
            </label>
          ))}
        </div>
      </fieldset>
      <label className="check">
        <input
          type="checkbox"
          checked={body.probe}
          onChange={({ target }) => setBody({ ...body, probe: target.checked })}
        />
        {t("schedules.probe")}
      </label>
      <label className="field">
        <span>{t("schedules.name")}</span>
        <input value={body.name} maxLength={100} onChange={({ target }) => setBody({ ...body, name: target.value })} />
      </label>
      {body.weekdays.length > 0 && body.time && (
        <p className="muted">
          {describeTimes(body, words)}. {t("schedules.until")}
        </p>
      )}
      {made.error && <ErrorNotice error={made.error} />}
      <div className="actions">
        <button className="primary" disabled={made.isPending || !body.from_run || body.weekdays.length === 0}>
          {t("schedules.make")}
        </button>
        <button type="button" onClick={onLeave}>
          {t("state.cancel")}
        </button>
      </div>
    </form>
  );
}

interface RunGiven {
  chosen: string;
  onChange: (run: string) => void;
}

const isWhole = ({ status }: RunSummary) => status === "completed" || status === "partial";

/** The newest runs that can be repeated: those that have ended; whether a human approved its plan the gateway says. */
function RunField({ chosen, onChange }: RunGiven) {
  const { t, date } = useWords();
  const found = useQuery({ queryKey: ["runs", "ended"], queryFn: () => listRuns({ limit: MOST_RUNS }) });
  const runs = found.data?.items.filter((run) => isWhole(run) || run.run_id === chosen) ?? [];
  return (
    <>
      <label className="field">
        <span>{t("schedules.run")}</span>
        <select required value={chosen} onChange={({ target }) => onChange(target.value)}>
          <option value="">{t("schedules.run.pick")}</option>
          {chosen && !runs.some(({ run_id }) => run_id === chosen) && <option>{chosen}</option>}
          {runs.map((run) => (
            <option key={run.run_id} value={run.run_id}>
              {run.query || run.run_id} ({date(run.started_at)})
            </option>
          ))}
        </select>
        <small>{t("schedules.run.hint")}</small>
      </label>
      {found.data?.next_cursor ? (
        <p className="muted">{t("schedules.run.older")}</p>
      ) : (
        found.data && runs.length === 0 && <p className="muted">{t("schedules.run.none")}</p>
      )}
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
    </>
  );
}
