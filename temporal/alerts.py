"""Start of the workflow that sends a channel's alerts."""

import asyncio
import logging
from collections.abc import Iterable
from datetime import timedelta

from temporalio.client import Client
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import TemporalError
from temporalio.service import RPCError

from contracts.alerts import ChannelRef

TIMEOUT_SECONDS = 3.0
logger = logging.getLogger(__name__)


def name_alert_queue(task_queue: str) -> str:
    """Return the task queue on which alerts are sent: a slow receiver delays no run."""
    return f"{task_queue}-alerts"


class Courier:
    """Has the alerts of channels sent that wait; without Temporal the next sweep does."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def wake(self, channels: Iterable[ChannelRef]) -> None:
        """Start sending, or tell the workflow of a channel that there is more."""
        await asyncio.gather(*map(self._wake, channels))

    async def _wake(self, channel: ChannelRef) -> None:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await self._client.start_workflow(
                    "DeliverAlerts",
                    channel,
                    id=f"alerts-{self._task_queue}-{channel.tenant_id}-{channel.channel_id}",
                    task_queue=name_alert_queue(self._task_queue),
                    start_signal="more",
                    id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                    rpc_timeout=timedelta(seconds=TIMEOUT_SECONDS),
                )
        except (TimeoutError, RPCError, RuntimeError, TemporalError) as error:
            logger.warning("alerts wait until the next sweep: Temporal says %s", error)
