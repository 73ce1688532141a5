"""The price of a changed plan: when it must be approved again, and what a decision says of the change."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client

from contracts.planning.plan_changes import PlanChange
from contracts.runs.run_terms import PriceTolerance
from contracts.runs.state_view import StateView
from settings import Settings
from tests.support.words import phrase
from tests.workflows.support.fake_activities import TERMS
from tests.workflows.support.run_harness import Handle, Harness, harness

ONE_MORE = {"search_terms": ["pumps", "boats"]}
MANY_MORE: dict[str, Any] = {"search_terms": [f"pumps {n}" for n in range(40)]}


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal) as made:
        yield made


async def modify(runs: Harness, changes: Any) -> tuple[Handle, StateView]:
    """Return a run and its state once its plan was changed."""
    handle = await runs.start()
    await runs.answer(handle)
    await runs.decide(handle, "modify", modifications=changes, by="ana")
    return handle, await runs.state(handle)


def count_votes(runs: Harness) -> list[Any]:
    """Return the fields that each change named which had to be approved again."""
    voted = [e.payload["changed"] for e in runs.fakes.events if "vote" in e.payload]
    return [[change["path"] for change in changed] for changed in voted]


def paths(changes: list[PlanChange]) -> list[str]:
    return [change.path for change in changes]


async def test_a_change_within_the_tolerance_is_approved_as_it_is_sent(runs: Harness) -> None:
    handle, state = await modify(runs, ONE_MORE)
    assert [decision.action for decision in state.decisions] == ["modify"]
    assert (await handle.result()).status == "completed"


async def test_a_change_beyond_the_tolerance_is_approved_at_its_price(runs: Harness) -> None:
    handle, state = await modify(runs, MANY_MORE)
    assert not state.decisions
    assert f"{phrase('ask-price')} $" in state.pending[0].message
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    [decision] = (await runs.state(handle)).decisions
    assert (decision.action, paths(decision.changed)) == ("approve", ["search_terms"])
    assert count_votes(runs) == [["search_terms"]]


async def test_what_is_said_with_a_dearer_change_steers_nobody_before_its_approval(
    runs: Harness,
) -> None:
    handle = await runs.start()
    await runs.answer(handle)
    await runs.decide(handle, "modify", modifications=MANY_MORE, feedback="Only boats.")
    [shown] = (await runs.state(handle)).pending
    assert [remark.text for remark in shown.remarks] == ["Only boats."]
    before = len(runs.fakes.of("planner"))
    await runs.decide(handle, "revise", feedback="Cheaper.")
    await runs.until(handle, lambda _: len(runs.fakes.of("planner")) > before)
    told = runs.fakes.of("planner")[before].model_dump_json(include={"messages"})
    assert "Only boats." not in told
    await handle.terminate()


@pytest.mark.parametrize(
    ("tolerance", "asks"),
    [
        (PriceTolerance(percent=0, usd=0), True),
        (PriceTolerance(percent=1_000, usd=0), False),
        pytest.param(PriceTolerance(percent=0, usd=0.0001), True, marks=pytest.mark.full),
        pytest.param(PriceTolerance(percent=0, usd=9), False, marks=pytest.mark.full),
    ],
)
async def test_the_installation_says_how_much_a_change_may_cost(
    runs: Harness, tolerance: PriceTolerance, asks: bool
) -> None:
    runs.fakes.terms = TERMS.model_copy(update={"price_tolerance": tolerance})
    _, state = await modify(runs, ONE_MORE)
    assert bool(state.pending) is asks


async def test_no_change_is_dearer_where_a_stand_in_answers(runs: Harness) -> None:
    nothing = PriceTolerance(percent=0, usd=0)
    runs.fakes.terms = TERMS.model_copy(update={"offline": True, "price_tolerance": nothing})
    _, state = await modify(runs, MANY_MORE)
    assert [decision.action for decision in state.decisions] == ["modify"]


def test_the_larger_of_share_and_amount_is_tolerated() -> None:
    assert Settings(_env_file=None).terms().price_tolerance == PriceTolerance(percent=10, usd=0.05)
    found = [PriceTolerance().compute_usd(top_usd) for top_usd in (0.1, 0.5, 5)]
    assert found == [0.05, 0.05, 0.5]


async def test_a_decision_and_its_event_name_the_changed_fields(runs: Harness) -> None:
    steps = [{"name": "Market", "description": "Look at prices."}, {"name": "Reckon"}]
    handle, state = await modify(runs, {"title": "Boats", "steps": steps})
    if state.pending:
        await runs.decide(handle, "approve")
    await handle.result()
    [decision] = (await runs.state(handle)).decisions
    assert paths(decision.changed) == ["title", "steps[0].description", "steps[1]"]
    assert decision.changed[0].after == "Boats"
    told = [e.payload for e in runs.fakes.events if e.type == "HumanResponseEvent"]
    assert told[-1]["changed"] == [change.model_dump(mode="json") for change in decision.changed]


async def plan_eight_searches(runs: Harness) -> tuple[Handle, dict[str, float]]:
    """Start a run whose plan has eight searches; return it and its price at each depth."""
    answer = runs.fakes.answers["PlanDraft"]
    terms = [f"pumps {n}" for n in range(8)]
    runs.fakes.answers["PlanDraft"] = {**answer, "search_terms": terms}
    handle = await runs.start()
    await runs.answer(handle)
    [shown] = (await runs.asked(handle, "checkpoint")).pending
    return handle, {each.depth: each.price.expected_usd for each in shown.depths}


async def test_depth_that_is_chosen_with_the_plan_bounds_the_work(runs: Harness) -> None:
    handle, prices = await plan_eight_searches(runs)
    assert prices["quick"] < prices["standard"] < prices["thorough"]
    await runs.decide(handle, "modify", modifications={"depth": "quick"})
    assert (await handle.result()).status == "completed"
    [decision] = (await runs.state(handle)).decisions
    assert (decision.action, paths(decision.changed)) == ("modify", ["search_terms", "depth"])
    first = next(r for r in runs.fakes.requests if r.role == "researcher")
    left = json.loads(first.messages[-1].content[-1].inputs[-1].text)
    assert (left["turns_left"], left["pages_left"]) == (6, 8)


async def test_wish_for_a_price_makes_a_cheaper_plan_or_is_answered(runs: Harness) -> None:
    handle, prices = await plan_eight_searches(runs)
    answer = runs.fakes.answers["PlanDraft"]
    between = (prices["quick"] + prices["standard"]) / 2
    for wished, code in ((between, "ask-wish-met"), (0.001, "ask-wish-missed")):
        runs.fakes.answers["PlanDraft"] = {**answer, "wished_usd": wished}
        await runs.decide(handle, "revise", feedback=f"At most {wished} dollars")
        [shown] = (await runs.asked(handle, "checkpoint")).pending
        assert shown.plan
        assert (shown.plan.depth, code in {asked.code for asked in shown.asks}) == ("quick", True)
        assert (shown.plan.estimated_cost.top_usd <= wished) == (code == "ask-wish-met")
