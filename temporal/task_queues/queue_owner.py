"""Binding of a task queue to one database, so that no worker takes another database's runs."""

import logging

from temporalio.client import (
    Client,
)
from temporalio.service import RPCError, RPCStatusCode

from temporal.side_workflows.sweep_schedule import INSTALLATION, sweep_id


class QueueTaken(Exception):
    """The workers of a task queue serve another database."""


async def require_database(client: Client, task_queue: str, installation: str) -> None:
    """Check that a task queue is bound to the database with this id, or to no database yet.

    Raises:
        QueueTaken: The queue is bound to another database.
    """
    schedule = client.get_schedule_handle(sweep_id(task_queue))
    try:
        owner = (await (await schedule.describe()).memo()).get(INSTALLATION)
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            logging.warning("which database the task queue belongs to is unknown: %s", error)
        return
    if owner not in {None, installation}:
        raise QueueTaken(
            f"Temporal's task queue {task_queue!r} belongs to another database: its runs are not in this one. "
            "Set DATABASE_URL to that database, or TEMPORAL_ADDRESS or GREENLIGHT_TASK_QUEUE to others. If "
            f"that database is gone: temporal schedule delete --schedule-id {sweep_id(task_queue)}"
        )
