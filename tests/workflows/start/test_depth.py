"""The depth of a run: one choice that sets how much is searched, read and reviewed, and what it costs."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.base import Json
from contracts.definitions import PhaseOverride
from contracts.errors import InvalidInput
from contracts.planning.depth import DEPTHS
from contracts.planning.plan import Depth, PlanDraft
from contracts.preset_definitions import PRESETS
from contracts.runs.request import RunRequest
from contracts.runs.start import OpenRequest, RunInput
from contracts.runs.state import RunState
from contracts.tool_servers import PlannedServer, PlannedTool
from domain.planning.depth import change_depth, list_depths
from tests.workflows.support.fake_activities import TERMS
from tests.workflows.support.phase_harness import NOW, parent_of
from workflows.checkpoints.prices.plan_price import (
    estimate_rest_top_usd,
    fit_depth,
    list_wish_notices,
    price_depths,
    price_plan,
    price_run,
)
from workflows.interpreter.initial_state import build_initial_state
from workflows.start.resolution import open_run

UNCHANGED = {"investment_analysis", "one_shot", "report_answer", "sentence_edit"}
"""Presets in which nothing follows from the depth."""
SEARCHED = PlanDraft.model_validate(
    {
        "title": "Pumps",
        "steps": [{"name": "Look"}],
        "search_terms": [f"pumps {n}" for n in range(8)],
    }
)


def begin(preset: str = "deep_research", **request: Any) -> RunState:
    asked = RunRequest(query="Where to sell pumps?", **request)
    opened = open_run(asked, PRESETS[preset], None, TERMS)
    given = RunInput(**dict(asked))
    return build_initial_state(OpenRequest(run_id="r", input=given, started_at=NOW), opened)


def read(state: RunState, phase_id: str) -> Any:
    return next(p.config for p in state.resolved.definition.phases if p.id == phase_id)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_whose_work_follows_from_the_depth(preset: str) -> None:
    assert bool(list_depths(PRESETS[preset])) == (preset not in UNCHANGED)


@pytest.mark.parametrize(
    ("depth", "limits"), [("quick", (4, 8, 6)), (None, (8, 20, 12)), ("thorough", (16, 40, 24))]
)
def test_depth_sets_searches_pages_and_turns(depth: Depth | None, limits: tuple[int, ...]) -> None:
    state = begin(depth=depth)
    research = read(state, "research")
    found = (read(state, "planning").max_searches, research.max_sources, research.max_turns)
    assert found == limits


def test_settings_of_a_start_win_over_its_depth() -> None:
    override: Mapping[str, PhaseOverride] = {"research": PhaseOverride(config={"max_sources": 5})}
    state = begin(depth="thorough", config_overrides=override)
    assert (read(state, "research").max_sources, read(state, "research").max_turns) == (5, 24)
    at = change_depth(state.resolved, "quick")
    limits = next(phase.config for phase in at.definition.phases if phase.id == "research")
    assert (limits.max_sources, limits.max_turns) == (5, 6)  # type: ignore[union-attr]


@pytest.mark.parametrize("preset", [name for name in PRESETS if name not in UNCHANGED])
def test_deeper_runs_are_expected_to_cost_more(preset: str) -> None:
    prices = [price_run(begin(preset, depth=depth)).expected_usd for depth in DEPTHS]
    assert prices == sorted({*prices}), "each costs something else"


def test_plan_has_a_price_at_each_depth_and_fewer_searches_where_it_is_quick() -> None:
    state = begin()
    told = {each.depth: each for each in price_depths(state, SEARCHED)}
    assert [*told] == [*DEPTHS]
    plan = price_plan(state, SEARCHED)
    assert told["standard"].price == plan.estimated_cost
    assert told["quick"].price.expected_usd < 0.8 * plan.estimated_cost.expected_usd
    assert told["thorough"].price.expected_usd > 1.2 * plan.estimated_cost.expected_usd
    assert price_depths(begin("web_answer", depth="quick"), SEARCHED)
    assert not price_depths(begin("planning_and_control", config_overrides=fixed()), SEARCHED)


def fixed() -> dict[str, PhaseOverride]:
    settings: dict[str, Json] = {
        "planning": {"max_searches": 8, "max_plan_steps": 3, "n_plan_reviews": 1},
        "control": {"max_sources": 20},
    }
    return {name: PhaseOverride(config=config) for name, config in settings.items()}


@pytest.mark.parametrize(
    ("wished", "depth", "code"),
    [(1.0, "standard", "met"), (0.16, "quick", "met"), (0.001, "quick", "missed")],
)
def test_wished_amount_chooses_the_depth_or_is_said_to_be_too_little(
    wished: float, depth: Depth, code: str
) -> None:
    state = begin()
    fitted = fit_depth(state, SEARCHED.model_copy(update={"wished_usd": wished}), "planning")
    plan = price_plan(state, fitted, "planning")
    [told] = list_wish_notices(plan)
    assert (plan.depth, told.code) == (depth, f"ask-wish-{code}")
    assert (plan.estimated_cost.top_usd <= wished) == (code == "met")


def test_depth_that_is_wished_pays_for_the_calls_of_servers_too() -> None:
    state, wishing = begin(), SEARCHED.model_copy(update={"wished_usd": 0.5})
    tool = PlannedTool(name="look_up", changes=False, hash="a")
    server = PlannedServer(name="stock", max_calls=20, usd_per_call=0.034, tools=[tool])
    assert fit_depth(state, wishing, "planning").depth == "standard"
    assert fit_depth(state, wishing, "planning", [server]).depth == "quick"


def test_calls_of_servers_that_were_made_are_not_priced_again() -> None:
    tool = PlannedTool(name="look_up", changes=False, hash="a")
    server = PlannedServer(name="stock", max_calls=20, usd_per_call=0.01, tools=[tool])
    bare, whole = (price_plan(begin(), SEARCHED, servers=each) for each in ((), (server,)))
    state = begin()
    state.server_calls = {"stock": 15}
    left = price_plan(state, SEARCHED, servers=[server])
    tops = [plan.estimated_cost.top_usd for plan in (bare, whole, left)]
    assert [round(top - tops[0], 2) for top in tops] == [0, 0.2, 0.05]
    rest = [estimate_rest_top_usd(state, plan) for plan in (bare, left)]
    assert round(rest[1] - rest[0], 2) == 0.05, "what a raised cap has to pay for"


def test_given_plan_sets_the_depth_of_the_work() -> None:
    given: Json = {"plan": {"title": "Pumps", "steps": [{"name": "Look"}], "depth": "thorough"}}
    only = ["checkpoint", "research", "synthesis"]
    state = begin(given={"planning": given}, only=only)
    assert read(state, "research").max_sources == 40
    given = {"plan": {"title": "Pumps", "steps": [{"name": "Look"}]}}
    state = begin(given={"planning": given}, only=only, depth="quick")
    assert read(state, "research").max_sources == 8


def test_run_from_a_run_keeps_the_depth_of_its_parent() -> None:
    asked = RunRequest(query="Where to sell pumps?", from_run="p")
    parent = parent_of(asked, PRESETS["deep_research"], {}, [])
    with pytest.raises(InvalidInput) as refused:
        open_run(asked.model_copy(update={"depth": "quick"}), parent.definition, parent, TERMS)
    assert [problem.path for problem in refused.value.problems] == ["depth"]
