"""Schedules: an approved run that is repeated, and what became of each repetition."""

import re
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints

from contracts.base import Contract, Name, RunId, Text, Wrong
from contracts.notices import Notice

SCHEDULED_RUN = re.compile(r"(schedule-[0-9a-f]{16})-\d{4}-\d\d-\d\dT[\d:]+Z")
"""The id of a schedule's run: Temporal appends the time to the schedule's."""
TIMED_RUN = re.compile(r"(.+)-\d{4}-\d\d-\d\dT[\d:]+Z")
"""The id of a run that any Temporal Schedule has started, also one that was made by Temporal's own tools."""
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
Overlap = Literal["skip", "queue", "beside"]
"""What happens if a run is due while the previous one is active: it is skipped, queued, or started immediately."""


def _require_once(days: list[Weekday]) -> list[Weekday]:
    if len({*days}) < len(days):
        raise Wrong("schedule-days-twice")
    return days


Weekdays = Annotated[
    list[Weekday], Field(min_length=1, max_length=7), AfterValidator(_require_once)
]
ClockTime = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
ZoneName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_+/-]{0,63}$")]


class ScheduleBody(Contract):
    """When a run is repeated: its question, plan and approval stay, everything after is done again."""

    name: Annotated[Text, Field(max_length=100)] = ""
    from_run: RunId = Field(description="an ended run of the caller's own, whose plan was approved")
    weekdays: Weekdays = list(WEEKDAYS)
    time: ClockTime = Field(description="of the zone's clock, `HH:MM`")
    time_zone: ZoneName = Field(default="UTC", description="as in `Europe/Berlin`")
    overlap: Overlap = Field(
        default="skip",
        description="when the run before goes on: `skip` leaves it out, `queue` starts it after that one, "
        "`beside` at once",
    )
    budget: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="US dollars that each run may spend; left out: as the run had",
    )
    probe: bool = Field(
        default=True,
        description="ask first whether anything is new, and research only then; false: research each time",
    )


class KeptSchedule(ScheduleBody):
    """A stored schedule: the user's settings, with id and owner."""

    id: Name
    user_id: Name
    query: str
    created_at: str = ""


class RepeatedRun(Contract):
    """A run that a schedule has started."""

    run_id: str
    scheduled_at: str
    status: str = Field(default="", description="empty: it is not recorded yet, or was removed")


class Schedule(KeptSchedule):
    """A schedule with its state in Temporal."""

    state: Literal["active", "paused", "missing"] = Field(
        description="`missing`: Temporal has none of this id; delete it"
    )
    note: str = Field(default="", description="why it is paused")
    next_at: list[str] = Field(
        default=[], description="the next ten times; empty while it is paused"
    )
    running: list[str] = Field(
        default=[], description="ids of runs that go on, or wait for a human"
    )
    recent: list[RepeatedRun] = Field(default=[], description="the newest last")
    skipped: int = Field(default=0, description="runs left out, as the one before went on")


class PauseBody(Contract):
    """Pauses a schedule, or lets it go on."""

    paused: bool
    note: Annotated[Text, Field(max_length=300)] = ""


class BackfillBody(Contract):
    """A past period whose runs are started now, one after another."""

    start_at: AwareDatetime
    end_at: AwareDatetime


class Backfill(Contract):
    """The runs that a backfill starts."""

    runs: int
    most_usd: float | None = Field(
        description="that they may spend together; null: the usual cap of each"
    )


class ChangedSentence(Contract):
    """A sentence that a scheduled run's report has and the one before had not, or the other way round."""

    change: Literal["added", "removed"]
    section: str = Field(description="its heading; empty: the comparison")
    text: str
    quote: str = Field(default="", description="the first passage it rests on; empty: it has none")
    source: str = Field(default="", description="title of the page with that passage")
    url: str = Field(default="", description="address of that page; empty: it is not on the web")


class RunChanges(Contract):
    """The differences between a scheduled run's report and the previous one."""

    previous_run_id: str = Field(default="", description="empty: there is none any more")
    added: int = Field(default=0, description="sentences of the text that are new")
    removed: int = Field(default=0, description="sentences that are gone")
    sentences: list[ChangedSentence] = Field(
        default=[], description="the first ten of them, each with its passage in its own run"
    )
    uncompared: Notice | None = Field(
        default=None, description="why the two were not compared; null: they were"
    )
