"""Looking for what a phase of an earlier run gave."""

from typing import TYPE_CHECKING

from temporalio import activity

from contracts.principal import Principal
from contracts.step_cache import FindRequest, FindResult

if TYPE_CHECKING:
    from store.step_cache import StepCacheRepository


class StepCacheActivities:
    """Reads what the recorder keeps; writes nothing."""

    def __init__(self, kept: "StepCacheRepository") -> None:
        self._kept = kept

    @activity.defn(name="step_cache.find")
    async def find(self, request: FindRequest) -> FindResult:
        """Return the newest output that the same user's runs gave under a key and that still counts."""
        who = Principal(tenant_id=request.tenant_id, user_id=request.user_id)
        return FindResult(kept=await self._kept.find(who, request.cache_key, request.run_id))
