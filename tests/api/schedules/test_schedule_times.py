"""Times of a schedule follow the zone's clock; times that a clock change skips or repeats are refused."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from api.schedule_times import find_fault, list_times
from contracts.runs.schedules import ScheduleBody

TODAY = date(2026, 11, 27)


def body(**changes: Any) -> ScheduleBody:
    return ScheduleBody.model_validate({"from_run": "r", "time": "09:00"} | changes)


@pytest.mark.parametrize(
    ("time", "zone", "days", "code"),
    [
        (
            "02:30",
            "America/New_York",
            None,
            "schedule-clock-change",
        ),  # does not exist on 14 March 2027
        ("01:30", "America/New_York", None, "schedule-clock-change"),  # 7 November 2027 has two
        ("02:30", "Europe/Berlin", ["sun"], "schedule-clock-change"),
        ("02:30", "Europe/Berlin", ["mon", "sat"], None),
        ("02:30", "Asia/Tokyo", None, None),
        ("02:30", "UTC", None, None),
        ("09:00", "America/New_York", None, None),
        ("09:00", "Mars/Base", None, "zone-unknown"),
        ("09:00", "Europe", None, "zone-unknown"),
    ],
)
def test_time_that_is_skipped_or_repeated_is_refused(
    time: str, zone: str, days: list[str] | None, code: str | None
) -> None:
    chosen = {"weekdays": days} if days else {}
    fault = find_fault(body(time=time, time_zone=zone, **chosen), TODAY)
    assert (fault and fault.code) == code


def test_times_follow_the_zones_clock() -> None:
    kept = body(time_zone="Europe/Berlin", weekdays=["sun", "mon"])
    start, end = datetime(2027, 3, 22, 8, tzinfo=UTC), datetime(2027, 3, 29, 7, tzinfo=UTC)
    found = [each.isoformat() for each in list_times(kept, start, end)]
    assert found == [
        "2027-03-22T08:00:00+00:00",
        "2027-03-28T07:00:00+00:00",
        "2027-03-29T07:00:00+00:00",
    ]
