"""The `DeliverAlerts` workflow: a channel's alerts are sent one after the other, and retried for days."""

from contextlib import suppress
from datetime import timedelta

from temporalio import workflow

from activities.alerts.delivery import AlertActivities
from contracts.alerts import ChannelRef
from workflows.runtime.activity_timeouts_and_retries import execute_activity


@workflow.defn(name="DeliverAlerts")
class DeliverAlerts:
    """One for each channel while alerts wait; the queue itself is in PostgreSQL."""

    def __init__(self) -> None:
        self._more = True

    @workflow.run
    async def run(self, channel: ChannelRef) -> int:
        """Send alerts until the channel's queue is empty; return the number of attempts."""
        sent = 0
        while True:
            self._more = False
            turn = await execute_activity(AlertActivities.deliver, channel, summary="send alerts")
            sent += turn.sent
            workflow.set_current_details(f"{sent} attempts")
            if turn.wait_seconds is None and not self._more:
                return sent
            with suppress(TimeoutError):
                await workflow.wait_condition(
                    lambda: self._more,
                    timeout=timedelta(seconds=turn.wait_seconds or 0),
                    timeout_summary="until the next attempt",
                )
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(channel)

    @workflow.signal
    def more(self) -> None:
        """Note that alerts were queued, or are to be tried at once."""
        self._more = True
