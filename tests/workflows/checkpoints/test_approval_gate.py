"""Where starting a run is the consent, nobody is asked, and the decision says what it covers."""

from collections.abc import AsyncIterator

import pytest
from pydantic import ValidationError
from temporalio.client import Client

from contracts.definitions import DefinitionBody
from contracts.planning.plan import Plan
from tests.support.words import phrase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Harness, harness


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Fakes()) as made:
        yield made


async def test_an_answer_comes_at_once_and_its_consent_is_recorded(runs: Harness) -> None:
    runs.fakes.answers["Questions"] = {"missing": [], "questions": []}
    handle = await runs.start(definition_id="web_answer", user_id="ann")
    assert (await handle.result()).status == "completed"
    state = await runs.state(handle)
    [consent] = state.decisions
    assert (consent.action, consent.by, consent.default) == ("approve", "ann", False)
    assert phrase("preset-web_answer-consent") in consent.scope
    assert runs.fakes.searches
    assert "# Pumps, in short" in await handle.query("report")
    assert not runs.fakes.of("synthesizer"), "who read the pages has written the answer"
    assert state.cap_usd == Plan.model_validate(state.plan).estimated_cost.top_usd


async def test_the_price_that_starting_consents_to_binds_before_there_is_a_plan(
    runs: Harness,
) -> None:
    runs.fakes.answers["Questions"] = {
        "missing": [],
        "questions": [{"question": "Where?", "context": "Laws."}],
    }
    handle = await runs.start(definition_id="web_answer")
    state = await runs.asked(handle, "clarification")
    assert state.plan is None
    assert 0 < state.price.expected_usd < state.price.top_usd == state.cap_usd < 1
    [asked] = runs.fakes.requests
    assert asked.cap_usd == state.cap_usd


async def test_what_is_unclear_is_asked_before_anything_is_searched(runs: Harness) -> None:
    runs.fakes.answers["Questions"] = {
        "missing": [],
        "questions": [{"question": "Where?", "context": "Laws."}],
    }
    handle = await runs.start(definition_id="web_answer")
    await runs.asked(handle, "clarification")
    assert not runs.fakes.searches
    runs.fakes.answers["Questions"] = {"missing": [], "questions": []}
    await runs.answer(handle, q1="here")
    assert (await handle.result()).status == "completed"
    assert [r.scope.name for r in runs.fakes.of("clarifier")] == ["questions-1", "questions-2"]


def test_nobody_writes_a_definition_that_needs_no_approval() -> None:
    body = {"id": "mine", "phases": [{"kind": "planning"}], "consent": "all"}
    with pytest.raises(ValidationError, match="consent"):
        DefinitionBody.model_validate(body)
