"""Signal-with-start of workflows that work through a queue in the store."""

import asyncio
import logging
from datetime import timedelta

from pydantic import BaseModel
from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import TemporalError
from temporalio.service import RPCError

TIMEOUT_SECONDS = 3.0
logger = logging.getLogger(__name__)


async def wake_workflow(
    client: Client, workflow: str, argument: BaseModel, workflow_id: str, task_queue: str
) -> bool:
    """Start a workflow, or signal the running one that its queue has more.

    Return False if Temporal cannot be reached in three seconds: the queue stays in the store, and the next sweep wakes it.
    """
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await client.start_workflow(
                workflow,
                argument,
                id=workflow_id,
                task_queue=task_queue,
                start_signal="more",
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                rpc_timeout=timedelta(seconds=TIMEOUT_SECONDS),
            )
    except (TimeoutError, RPCError, RuntimeError, TemporalError) as error:
        logger.warning("%s waits until the next sweep: Temporal says %s", workflow, error)
        return False
    return True
