"""Temporal Schedules that repeat runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionExecutionStartWorkflow,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleBackfill,
    ScheduleCalendarSpec,
    ScheduleHandle,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleRange,
    ScheduleSpec,
)
from temporalio.service import RPCError, RPCStatusCode

from contracts.errors import EngineUnavailable
from contracts.notices import Notice
from contracts.runs.schedules import WEEKDAYS, KeptSchedule, RepeatedRun
from contracts.runs.schedules import Schedule as ScheduleView
from contracts.runs.start import RunInput
from temporal.task_queues.priorities import build_priority

CATCHUP = timedelta(hours=1)
"""A run that was due while Temporal was down starts if it is late by no more than this."""
SECONDS = 10.0
OVERLAPS = {
    "skip": ScheduleOverlapPolicy.SKIP,
    "queue": ScheduleOverlapPolicy.BUFFER_ALL,
    "beside": ScheduleOverlapPolicy.ALLOW_ALL,
}


class ResearchSchedules:
    """Creates, reads and changes the schedules of runs.

    Methods raise EngineUnavailable while Temporal is unreachable.
    """

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def create(self, kept: KeptSchedule, start: RunInput) -> None:
        """Start runs by a schedule from now on; idempotent by its id. A run that cannot start pauses it."""
        hour, minute = map(int, kept.time.split(":"))
        days = [(WEEKDAYS.index(day) + 1) % 7 for day in kept.weekdays]  # Temporal's Sunday is 0
        schedule = Schedule(
            action=ScheduleActionStartWorkflow(
                "Research",
                start,
                id=kept.id,
                task_queue=self._task_queue,
                task_timeout=timedelta(seconds=5),
                static_summary=start.query[:200],
                priority=build_priority(start.tenant_id, start.user_id),
            ),
            spec=ScheduleSpec(
                calendars=[
                    ScheduleCalendarSpec(
                        day_of_week=[ScheduleRange(day) for day in days],
                        hour=[ScheduleRange(hour)],
                        minute=[ScheduleRange(minute)],
                    )
                ],
                time_zone_name=kept.time_zone,
            ),
            policy=SchedulePolicy(
                overlap=OVERLAPS[kept.overlap], catchup_window=CATCHUP, pause_on_failure=True
            ),
        )
        async with _bounded():
            try:
                await self._client.create_schedule(kept.id, schedule)
            except ScheduleAlreadyRunningError:
                return

    async def describe(self, kept: KeptSchedule) -> ScheduleView:
        """Return a schedule with its state, its next times and its newest runs."""
        async with _bounded(gone_ok=True):
            found = await self._handle(kept.id).describe()
            state, info = found.schedule.state, found.info
            started = [
                RepeatedRun(
                    run_id=each.action.workflow_id, scheduled_at=each.scheduled_at.isoformat()
                )
                for each in info.recent_actions
                if isinstance(each.action, ScheduleActionExecutionStartWorkflow)
            ]
            return ScheduleView(
                **dict(kept),
                state="paused" if state.paused else "active",
                note=state.note or "",
                next_at=[] if state.paused else [at.isoformat() for at in info.next_action_times],
                running=[
                    each.workflow_id
                    for each in info.running_actions
                    if isinstance(each, ScheduleActionExecutionStartWorkflow)
                ],
                recent=started,
                skipped=info.num_actions_skipped_overlap,
            )
        return ScheduleView(**dict(kept), state="missing")

    async def set_paused(self, schedule_id: str, note: str, *, paused: bool) -> None:
        """Pause a schedule, or let it go on."""
        handle = self._handle(schedule_id)
        async with _bounded():
            await (handle.pause(note=note) if paused else handle.unpause(note=note))

    async def trigger(self, schedule_id: str) -> None:
        """Start a run now, by the schedule's rule for overlaps."""
        async with _bounded():
            await self._handle(schedule_id).trigger()

    async def backfill(self, schedule_id: str, start: datetime, end: datetime) -> None:
        """Start the runs of a time of the past, one after another, also while it is paused."""
        past = ScheduleBackfill(
            start_at=start - timedelta(seconds=1),  # Temporal leaves out the first moment
            end_at=end,
            overlap=ScheduleOverlapPolicy.BUFFER_ALL,
        )
        async with _bounded():
            await self._handle(schedule_id).backfill(past)

    async def delete(self, schedule_id: str) -> None:
        """Delete a schedule; its active runs continue. Idempotent."""
        async with _bounded(gone_ok=True):
            await self._handle(schedule_id).delete()

    def _handle(self, schedule_id: str) -> ScheduleHandle:
        return self._client.get_schedule_handle(schedule_id)


@asynccontextmanager
async def _bounded(*, gone_ok: bool = False) -> AsyncIterator[None]:
    """Translate Temporal's errors into ours; with `gone_ok`, ignore that the schedule does not exist."""
    try:
        async with asyncio.timeout(SECONDS):
            yield
    except TimeoutError:
        raise EngineUnavailable(Notice.of("engine-late")) from None
    except RPCError as error:
        if not (gone_ok and error.status is RPCStatusCode.NOT_FOUND):
            raise EngineUnavailable(Notice.of("engine-said", reason=error.message)) from error
    except RuntimeError as error:  # raised by a lazy client that cannot connect
        raise EngineUnavailable(Notice.of("engine-away")) from error
