"""The step cache: what phases of earlier runs put out."""

from typing import TYPE_CHECKING

from temporalio import activity

from contracts.principal import Principal
from contracts.runs.seeds import FindRequest, FindResult

if TYPE_CHECKING:
    from store.step_cache import StepCacheRepository


class StepCacheActivities:
    """Reads the step cache; the recorder writes it."""

    def __init__(self, outputs: "StepCacheRepository") -> None:
        self._outputs = outputs

    @activity.defn(name="step_cache.find")
    async def find(self, request: FindRequest) -> FindResult:
        """Return the newest output that the same user's runs have under a key."""
        who = Principal(tenant_id=request.tenant_id, user_id=request.user_id)
        return FindResult(seed=await self._outputs.find(who, request.cache_key, request.run_id))
