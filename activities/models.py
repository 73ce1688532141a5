"""The one activity through which a workflow speaks to a model."""

from typing import TYPE_CHECKING

from temporalio import activity

from contracts.models.call import ModelRequest, ModelResult

if TYPE_CHECKING:
    from activities.calls.model_gateway import ModelGateway


class ModelActivities:
    """Hands requests to the gateway, which journals, prices, validates and verifies."""

    def __init__(self, gateway: "ModelGateway") -> None:
        self._gateway = gateway

    @activity.defn(name="models.call")
    async def call(self, request: ModelRequest) -> ModelResult:
        """Make one call, or return the result of the same call made before."""
        return await self._gateway.call(request)
