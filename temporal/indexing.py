"""Start of the workflow that reads a tenant's waiting documents."""

import asyncio
import logging
from datetime import timedelta

from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import TemporalError
from temporalio.service import RPCError

from contracts.collections import IndexRequest

TIMEOUT_SECONDS = 3.0
logger = logging.getLogger(__name__)


def name_index_queue(task_queue: str) -> str:
    """Return the task queue on which documents are read: its workers take few turns at once."""
    return f"{task_queue}-index"


class Indexer:
    """Has the documents of a tenant read that wait; without Temporal the next sweep does."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def start(self, tenant_id: str) -> bool:
        """Start reading, or tell the workflow that reads already that there is more."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await self._client.start_workflow(
                    "IndexCollections",
                    IndexRequest(tenant_id=tenant_id),
                    id=f"index-{self._task_queue}-{tenant_id}",
                    task_queue=name_index_queue(self._task_queue),
                    start_signal="more",
                    id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                    rpc_timeout=timedelta(seconds=TIMEOUT_SECONDS),
                )
        except (TimeoutError, RPCError, RuntimeError, TemporalError) as error:
            logger.warning("documents wait until the next sweep: Temporal says %s", error)
            return False
        return True
