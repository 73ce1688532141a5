"""The time that a run is expected to take: as such runs took here, else a range from shipped figures."""

import pytest

from contracts.phases.phase_cost import Share
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.depth import DEPTHS, DepthPrice, Minutes
from domain.planning.depth import describe_depths, explain_same_time
from tests.workflows.start.test_depth import SEARCHED, begin
from workflows.checkpoints.prices.plan_price import price_depths, price_plan
from workflows.checkpoints.prices.run_time import expect_minutes

MEASURED = {"quick": Minutes(low=2, high=3, runs=4), "thorough": Minutes(low=9, high=14, runs=3)}


@pytest.mark.parametrize(
    ("ahead", "whole", "measured", "least", "expected"),
    [
        (2.0, 4.0, None, 0, (2, 5)),
        (0.2, 0.2, None, 0, (1, 1)),
        (2.0, 4.0, (10, 20), 0, (5, 10)),
        (0.0, 0.0, (10, 20), 0, (10, 20)),
        (2.0, 4.0, (10, 20), 8.5, (9, 10)),
        (2.0, 4.0, None, 60, (60, 60)),
    ],
)
def test_time_is_measured_or_a_range_and_no_less_than_the_steps(
    ahead: float,
    whole: float,
    measured: tuple[int, int] | None,
    least: float,
    expected: tuple[int, int],
) -> None:
    known = Minutes(low=measured[0], high=measured[1], runs=5) if measured else None
    found = expect_minutes(Share(minutes=ahead), Share(minutes=whole), known, least)
    assert found.span == expected
    assert found.runs == (5 if known else 0)


def test_plan_and_its_depths_tell_the_time_of_this_installations_runs() -> None:
    state = begin()
    shipped = {each.depth: each.minutes for each in price_depths(state, SEARCHED)}
    assert all(each.low < each.high and not each.runs for each in shipped.values())
    state.measured = MEASURED  # type: ignore[assignment]
    found = {each.depth: each.minutes for each in price_depths(state, SEARCHED)}
    assert found == {**MEASURED, "standard": shipped["standard"]}
    quick = SEARCHED.model_copy(update={"depth": "quick"})
    assert price_plan(state, quick).estimated_duration == "2–3 min"


def test_time_that_is_the_same_at_all_depths_is_told_once() -> None:
    differing = [
        DepthPrice(depth=depth, price=CostEstimate(), minutes=Minutes(low=n, high=n + 3))
        for n, depth in enumerate(DEPTHS, start=1)
    ]
    same = [each.model_copy(update={"minutes": Minutes(low=1, high=4)}) for each in differing]
    told = [" min" in line for line in describe_depths(differing, "standard")]
    assert told == [True, True, True]
    told = [" min" in line for line in describe_depths(same, "standard")]
    assert told == [False, False, False, True]


def test_same_time_at_different_prices_is_explained_by_agents_or_rounding() -> None:
    def price(*agents: int, high: tuple[int, ...] = (6, 6, 6)) -> list[DepthPrice]:
        return [
            DepthPrice(
                depth=depth,
                price=CostEstimate(expected_usd=n),
                minutes=Minutes(low=1, high=high[n], agents=agents[n]),
            )
            for n, depth in enumerate(DEPTHS)
        ]

    assert explain_same_time(price(1, 1, 1, high=(2, 4, 6))) == ""
    assert "quick 2, standard 3, thorough 5" in explain_same_time(price(2, 3, 5, high=(3, 6, 6)))
    assert explain_same_time(price(1, 1, 1, high=(2, 6, 6))).endswith("less than a minute")
    free = [each.model_copy(update={"price": CostEstimate()}) for each in price(1, 1, 1)]
    assert explain_same_time(free) == ""


def test_estimated_minutes_say_how_many_agents_share_them() -> None:
    state = begin()
    independent = [SEARCHED.steps[0].model_copy(update={"independent": True})] * 5
    plan = SEARCHED.model_copy(update={"steps": independent})
    found = {each.depth: each.minutes.agents for each in price_depths(state, plan)}
    assert found["quick"] < found["standard"] <= found["thorough"] == 5
    assert {each.minutes.agents for each in price_depths(state, SEARCHED)} == {1}
