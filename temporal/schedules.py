"""The schedule of the sweep, which Temporal keeps."""

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
from temporalio.service import RPCError

SWEEP = "Sweep"
EVERY = timedelta(minutes=2)


def sweep_id(task_queue: str) -> str:
    """Return the id of the schedule, and of the workflow that it starts, on a task queue."""
    return f"sweep-{task_queue}"


async def keep_sweeping(client: Client, task_queue: str) -> None:
    """Have Temporal start a `Sweep` every two minutes, one at a time; again makes no difference."""
    name = sweep_id(task_queue)
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(SWEEP, id=name, task_queue=task_queue),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=EVERY)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=EVERY),
    )

    def renewed(found: ScheduleUpdateInput) -> ScheduleUpdate:
        schedule.state = found.description.schedule.state  # who paused it meant it
        return ScheduleUpdate(schedule=schedule)

    try:
        try:
            await client.create_schedule(name, schedule)
        except ScheduleAlreadyRunningError:
            await client.get_schedule_handle(name).update(renewed)
    except RPCError as error:
        logging.warning("nothing removes old runs: the schedule was not made: %s", error)
