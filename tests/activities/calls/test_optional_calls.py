"""Judging and mending yield to the phase's time, and whatever they lack is said as data."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.calls.optional_calls import OptionalCalls
from contracts.errors import GreenlightError, ModelBusy, ModelRejected, OutOfTime
from contracts.models.call import Message, ModelRequest, ModelResult, Scope
from contracts.notices import Notice
from contracts.terms import Usage
from tests.activities.calls.claims.test_judge import ask, claim, judges, says
from tests.activities.calls.conftest import House, environment

REQUEST = ModelRequest(
    scope=Scope(run_id="r", phase_id="p", attempt=1, name="ask"),
    role="judge",
    model="m",
    system="",
    messages=[Message(role="user", content=[])],
    cap_usd=1,
)
ANSWER = ModelResult(content=[], usage=Usage())
Asked = Callable[[ModelRequest], Awaitable[ModelResult]]


async def answer(_: ModelRequest) -> ModelResult:
    return ANSWER


async def hang(_: ModelRequest) -> ModelResult:
    await asyncio.sleep(60)
    return ANSWER


def fail(error: GreenlightError) -> Asked:
    async def asked(_: ModelRequest) -> ModelResult:
        raise error

    return asked


def scheduled(seconds_ago: float = 0) -> ActivityEnvironment:
    """Return the last attempt of an activity that was scheduled so long ago."""
    made = environment(attempt=3)
    when = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    made.info = replace(made.info, scheduled_time=when)
    return made


async def outcome(
    asked: Asked, seconds_left: float | None, seconds_ago: float = 0
) -> tuple[ModelResult | str, list[str], bool]:
    """Return what an optional call gives, the reasons of what it lost, and whether time ran out."""

    async def work() -> tuple[ModelResult | str, list[str], bool]:
        optional = OptionalCalls(REQUEST.model_copy(update={"seconds_left": seconds_left}), asked)
        try:
            given: ModelResult | str = await optional.ask(REQUEST)
        except GreenlightError as error:
            given = error.type()
        lost = optional.lost
        assert all(each.optional and not each.degrades and each.may_pass for each in lost)
        return given, [each.causes[0].reason for each in lost], optional.are_out_of_time

    return await scheduled(seconds_ago).run(work)


@pytest.mark.parametrize("seconds_left", [None, 60.0])
async def test_optional_call_in_time_is_made(seconds_left: float | None) -> None:
    assert await outcome(answer, seconds_left) == (ANSWER, [], False)


@pytest.mark.parametrize(("seconds_left", "seconds_ago"), [(0.0, 0), (60.0, 59)])
async def test_optional_call_without_time_is_not_begun(
    seconds_left: float, seconds_ago: float
) -> None:
    begun: list[ModelRequest] = []

    async def asked(request: ModelRequest) -> ModelResult:
        begun.append(request)
        return ANSWER

    assert await outcome(asked, seconds_left, seconds_ago) == ("out-of-time", ["out-of-time"], True)
    assert not begun


async def test_hung_optional_call_is_cut_short() -> None:
    async with asyncio.timeout(5):
        assert await outcome(hang, 0.5) == ("out-of-time", ["out-of-time"], True)


async def test_failed_optional_call_is_a_lost_input() -> None:
    assert await outcome(fail(ModelBusy("busy")), 60) == ("model-busy", ["model-busy"], False)


async def test_call_that_is_split_is_not_lost() -> None:
    error = ModelRejected("too long", is_too_long=True)
    assert await outcome(fail(error), 60) == ("model-rejected", [], False)


async def test_answer_without_time_is_not_judged_and_says_so(house: House) -> None:
    """The test environment's activity was scheduled long ago."""
    result = await ask(house, says(claim("Ghent employs people.")), seconds_left=60.0)
    assert len(house.provider.exchanges) == 1
    [lost] = result.lost_inputs
    assert (lost.name, lost.causes[0].reason) == ("claims-unjudged", OutOfTime.type())
    assert lost.told == Notice.of("claims-unjudged", why=[Notice.of("cause-time-nearly")])


async def test_answer_with_time_is_judged_and_lacks_nothing(house: House) -> None:
    result = await ask(house, says(claim("Ghent employs people.")), judges("supported"))
    assert len(house.provider.exchanges) == 2
    assert result.lost_inputs == []
