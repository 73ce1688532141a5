/** A schedule's times as text: days, time and time zone. */

import type { ScheduleBody } from "../api/client";
import type { Words } from "../strings";

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A Monday: the names of days are those of a week's dates. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

export function nameDay(day: Weekday, language: string, weekday: "long" | "short" = "long"): string {
  const date = new Date(MONDAY + WEEKDAYS.indexOf(day) * DAY_MS);
  return new Intl.DateTimeFormat(language, { weekday, timeZone: "UTC" }).format(date);
}

function nameDays(days: readonly Weekday[], { t, language }: Words): string {
  const chosen = WEEKDAYS.filter((day) => days.includes(day));
  if (chosen.length === WEEKDAYS.length) return t("schedules.every");
  if (chosen.join() === WEEKDAYS.slice(0, 5).join()) return t("schedules.working");
  const names = chosen.map((day) => nameDay(day, language));
  return new Intl.ListFormat(language, { type: "conjunction" }).format(names);
}

/** The city of a zone, as in Berlin; UTC is no city. */
export const nameZone = (zone: string) => (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");

type Times = Pick<ScheduleBody, "weekdays" | "time" | "time_zone">;

export function describeTimes(schedule: Times, words: Words): string {
  const { weekdays = [...WEEKDAYS], time, time_zone: zone = "UTC" } = schedule;
  const place = zone.includes("/") ? words.t("schedules.in", { place: nameZone(zone) }) : zone;
  return words.t("schedules.at", { days: nameDays(weekdays, words), time, place });
}

/** All zones that the browser knows, and UTC. */
export const ZONES = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];

/** The user's time zone. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
