"""Times of a schedule on the clock of its zone."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from contracts.notices import Notice
from contracts.problems import Problem
from contracts.runs.schedules import WEEKDAYS, ScheduleBody

LOOKED_AHEAD_DAYS = 400
"""Longer than a year: each change of the clocks is within it."""


def find_fault(body: ScheduleBody, today: date) -> Problem | None:
    """Return why no run can be started at a schedule's times, or None.

    Clock changes skip a time or repeat it, so that a run would be missed or paid twice.
    """
    try:
        zone = ZoneInfo(body.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return Problem.at("time_zone", "zone-unknown", zone=body.time_zone)
    last = today + timedelta(days=LOOKED_AHEAD_DAYS)
    for moment in _list_local(body, zone, today, last):
        if moment.utcoffset() != moment.replace(fold=1).utcoffset():
            told = Notice.of("schedule-clock-change", zone=body.time_zone, day=str(moment.date()))
            return Problem.told("time", told)
    return None


def list_times(body: ScheduleBody, start: datetime, end: datetime) -> list[datetime]:
    """Return the times of a schedule from `start` to `end`, both included."""
    zone = ZoneInfo(body.time_zone)
    days = start.astimezone(zone).date(), end.astimezone(zone).date()
    return [t.astimezone(UTC) for t in _list_local(body, zone, *days) if start <= t <= end]


def _list_local(body: ScheduleBody, zone: ZoneInfo, first: date, last: date) -> Iterator[datetime]:
    clock = time.fromisoformat(body.time)
    chosen = {WEEKDAYS.index(day) for day in body.weekdays}
    for n in range((last - first).days + 1):
        day = first + timedelta(days=n)
        if day.weekday() in chosen:
            yield datetime.combine(day, clock, zone)
