"""The one activity through which a workflow speaks to a model."""

from typing import TYPE_CHECKING

from temporalio import activity

from contracts.models import ModelRequest, ModelResult

if TYPE_CHECKING:
    from activities.gateway import Gateway


class ModelActivities:
    """Hands requests to the gateway, which journals, prices and validates."""

    def __init__(self, gateway: "Gateway") -> None:
        self._gateway = gateway

    @activity.defn(name="models.call")
    async def call(self, request: ModelRequest) -> ModelResult:
        """Make one call, or return what the same call gave before."""
        return await self._gateway.call(request)
