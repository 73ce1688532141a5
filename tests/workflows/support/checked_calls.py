"""Calls of a model that bring along what was found of their claims."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from temporalio import activity

from activities.models import ModelActivities
from contracts.evidence.sources import Claim
from contracts.models.call import ModelRequest, ModelResult, Page
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.memory_step_cache import Remembering


@dataclass(frozen=True)
class _Answers:
    """The sides of a call: what answers it, and what knows which claims are founded."""

    call: Callable[[ModelRequest], Awaitable[ModelResult]]
    unfounded: set[str]

    async def judge(self, claims: list[Claim], _: list[Page]) -> list[Claim]:
        said = ("supported", "unsupported")
        return [c.model_copy(update={"verdict": said[c.text in self.unfounded]}) for c in claims]


class Verifying(Remembering):
    """A set whose calls have their claims checked `along` with them, once it is told so."""

    along = False

    @activity.defn(name="models.call")
    async def model(self, request: ModelRequest) -> ModelResult:
        async def answer(request: ModelRequest) -> ModelResult:
            return await Fakes.model(self, request)

        if not self.along:
            return await answer(request)
        sides = _Answers(answer, set(self.unfounded))
        return await ModelActivities(sides, sides).call(request)  # type: ignore[arg-type]
