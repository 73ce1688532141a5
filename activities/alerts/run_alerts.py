"""Alerts queued by a run's own activities."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contracts.alerts import ChannelRef
from contracts.errors import Permanent
from contracts.runs.schedules import SCHEDULED_RUN
from contracts.runs.start import OpenRequest
from domain.alerts.selection import build_failed_start

if TYPE_CHECKING:
    from store.alerts import AlertRepository
    from temporal.side_workflows.alerts import Courier


class RunAlerts:
    """Queues alerts that no event of a run covers, and sends them."""

    def __init__(self, alerts: "AlertRepository", courier: "Courier") -> None:
        self._alerts = alerts
        self._courier = courier

    async def wake(self, channels: Sequence[ChannelRef]) -> None:
        """Start sending the channels' alerts."""
        await self._courier.wake(channels)

    async def tell_failed_start(self, request: OpenRequest, error: Permanent) -> None:
        """Alert the owner of a schedule that its run cannot start: no run records it."""
        start = request.input
        if not SCHEDULED_RUN.fullmatch(request.run_id):
            return
        alert = build_failed_start(
            start.tenant_id, request.run_id, start.query, request.started_at, error.words
        )
        await self.wake(await self._alerts.queue_for_user(start.tenant_id, start.user_id, alert))
