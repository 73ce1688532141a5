"""Activities that find outputs again that the recorder has stored."""

from typing import Any

from temporalio import activity

from contracts.definitions import Definition
from contracts.runs.request import FindRequest, FindResult, Seed
from contracts.runs.start import Opened, OpenRequest
from tests.workflows.support.fake_activities import Fakes


class Remembering(Fakes):
    """Fakes whose runs cache their phases' outputs for `hours`; 0: no run uses the cache."""

    def __init__(self, *definitions: Definition, hours: float = 0) -> None:
        super().__init__(*definitions)
        self.hours = hours

    def all(self) -> list[Any]:
        return [*super().all(), self.find]

    @activity.defn(name="runs.open")
    async def open(self, request: OpenRequest) -> Opened:
        opened = await super().open(request)
        terms = opened.terms.model_copy(update={"step_cache_hours": self.hours})
        return opened.model_copy(update={"terms": terms})

    @activity.defn(name="step_cache.find")
    async def find(self, request: FindRequest) -> FindResult:
        seeds = {
            phase.cache_key: Seed(
                origin="cache",
                run_id=batch.run_id,
                output=phase.output or {},
                notices=phase.notices,
            )
            for batch in self.batches
            for phase in batch.phases
        }
        found = seeds.get(request.cache_key)
        await self._before("find", request)
        return FindResult(seed=found)
