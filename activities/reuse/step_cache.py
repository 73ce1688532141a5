"""Reading of the step cache: the newest output that a phase of another run had for the same input."""

from typing import TYPE_CHECKING

from temporalio import activity

from contracts.runs.request import FindRequest, FindResult

if TYPE_CHECKING:
    from store.reuse.step_cache import StepCacheRepository


class StepCacheActivities:
    """Reads the step cache; the recorder writes it."""

    def __init__(self, outputs: "StepCacheRepository") -> None:
        self._outputs = outputs

    @activity.defn(name="step_cache.find")
    async def find(self, request: FindRequest) -> FindResult:
        """Return the newest output that the same user's runs have under a key."""
        return FindResult(seed=await self._outputs.find(request))
