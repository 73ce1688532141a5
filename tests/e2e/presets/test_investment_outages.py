"""A temporary outage is reported, degrades dependent results, and is not replayed from the step cache."""

from typing import Any

import pytest

from contracts.base import Json
from contracts.runs.state_view import StateView
from domain.lost_inputs import explain_loss
from tests.support.stack import Run, Whole

ID = "investment_analysis"
NEWS_CALL = {"service": "model", "schema_property": "articles"}


async def ended(whole: Whole, **more: Any) -> tuple[Run, StateView]:
    inputs: Json = {"ticker": "AAPL", "news_limit": 4}
    run = await whole.start("Is Apple worth buying?", definition=ID, inputs=inputs, **more)
    return run, await run.ended(100)


def statuses(state: StateView) -> list[str]:
    return [phase.status for phase in state.phases]


async def was_made_anew(whole: Whole) -> bool:
    """Start the same again, once all services answer: it completes, and reads what it lost."""
    await whole.providers.forget()
    _, again = await ended(whole)
    assert set(statuses(again)) == {"completed"}
    assert not [lost for phase in again.phases for lost in phase.lost_inputs]
    return again.phases[0].reused_from is None


@pytest.mark.full
@pytest.mark.parametrize(
    "failure",
    [
        {"mode": "cut"},
        pytest.param({"status": 500}, marks=pytest.mark.full),
        pytest.param({"status": 429, "retry_after": 0}, marks=pytest.mark.full),
    ],
)
async def test_pages_lost_to_an_outage_are_told_and_not_replayed(
    whole: Whole, failure: Json
) -> None:
    await whole.providers.told({**failure, "times": 99, "match": {"service": "pages"}})
    _, state = await ended(whole)
    assert statuses(state) == ["partial", "completed", "failed", "partial", "partial"]
    assert state.status == "failed"
    [lost] = state.phases[0].lost_inputs
    assert (lost.kind, lost.found, lost.lost) == ("articles", 4, 4)
    assert lost.causes[0].passing
    told = "4 articles were found, none could be read ("
    assert any(told in warning for warning in state.phases[0].warnings)
    error = state.phases[2].error
    assert error
    assert told in error.message
    assert any("went on without news.analysis" in told for told in state.phases[3].warnings)
    assert await was_made_anew(whole)


@pytest.mark.full
async def test_a_filing_lost_to_an_outage_is_told_and_not_replayed(whole: Whole) -> None:
    match = {"service": "edgar", "path": "/Archives/"}
    await whole.providers.told({"status": 500, "times": 1, "match": match})
    run, state = await ended(whole)
    assert statuses(state) == ["partial", "partial", "completed", "partial", "partial"]
    [lost] = state.phases[0].lost_inputs
    assert (lost.kind, lost.lost, lost.causes[0].status) == ("filings", 1, 500)
    assert explain_loss(lost).text in await run.report()
    assert await was_made_anew(whole)


@pytest.mark.full
async def test_a_refused_analysis_degrades_all_that_follows(whole: Whole) -> None:
    await whole.providers.told({"mode": "refuse", "times": 99, "match": NEWS_CALL})
    _, state = await ended(whole)
    assert statuses(state) == ["completed", "completed", "partial", "partial", "partial"]
    for phase in state.phases[3:]:
        assert [lost.name for lost in phase.lost_inputs] == ["news.analysis"]
