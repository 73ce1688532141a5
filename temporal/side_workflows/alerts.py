"""Start of the workflow that sends a channel's alerts."""

import asyncio
from collections.abc import Iterable

from temporalio.client import Client

from contracts.alerts import ChannelRef
from temporal.side_workflows.signal_with_start import wake_workflow


def name_alert_queue(task_queue: str) -> str:
    """Return the task queue on which alerts are sent: a slow receiver delays no run."""
    return f"{task_queue}-alerts"


class Courier:
    """Client of the workflows that send channels' alerts."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def wake(self, channels: Iterable[ChannelRef]) -> None:
        """Start sending, or signal the workflow of a channel that there is more."""
        await asyncio.gather(*map(self._wake, channels))

    async def _wake(self, channel: ChannelRef) -> None:
        name = f"alerts-{self._task_queue}-{channel.tenant_id}-{channel.channel_id}"
        queue = name_alert_queue(self._task_queue)
        await wake_workflow(self._client, "DeliverAlerts", channel, name, queue)
