"""Temporal schedule of the sweep."""

import logging
from datetime import timedelta

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
)
from temporalio.converter import PayloadConverter
from temporalio.service import RPCError

INTERVAL = timedelta(minutes=2)
INSTALLATION = "installation"
"""Key in the schedule's memo for the id of the database that holds the task queue's runs."""
_CLEAR = PayloadConverter.default


def sweep_id(task_queue: str) -> str:
    """Return the id of a task queue's schedule and of the workflow that it starts."""
    return f"sweep-{task_queue}"


async def schedule_sweep(client: Client, task_queue: str, installation: str = "") -> None:
    """Create the schedule that keeps one `Sweep` running, starting the next within two minutes; idempotent.

    The first call binds the task queue to the database with this installation id.
    """
    schedule_id = sweep_id(task_queue)
    # Not encrypted, because the memo has to stay readable after a key rotation.
    memo = {INSTALLATION: _CLEAR.to_payload(installation)} if installation else None
    schedule = Schedule(
        action=ScheduleActionStartWorkflow("Sweep", id=schedule_id, task_queue=task_queue),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=INTERVAL)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=INTERVAL),
    )

    def update(current: ScheduleUpdateInput) -> ScheduleUpdate:
        schedule.state = current.description.schedule.state  # a paused schedule stays paused
        return ScheduleUpdate(schedule=schedule)

    try:
        try:
            await client.create_schedule(schedule_id, schedule, memo=memo)
        except ScheduleAlreadyRunningError:
            await client.get_schedule_handle(schedule_id).update(update)
    except RPCError as error:
        logging.warning(
            "old runs are not removed, since the schedule could not be created: %s", error
        )
