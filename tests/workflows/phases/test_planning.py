"""`planning`: what a planner is asked for."""

from typing import Any

from contracts.phases.planning import PlanningPhase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import work


async def test_a_planner_hears_of_one_limit_to_its_searches() -> None:
    done = await work(Fakes(), PlanningPhase(id="again"))
    for request in done.of_models():
        schema: Any = request["output_schema"]
        plan = schema["$defs"].get("PlanDraft", schema)["properties"]
        assert "maxItems" in plan["outline"]
        assert not any("maxItems" in plan[name] for name in ("search_terms", "expanded_queries"))
        assert "at most eight in all" in str(request["system"])


async def test_a_planner_and_its_reviewer_see_what_a_small_library_holds() -> None:
    done = await work(Fakes(), PlanningPhase(id="again"), library=["Churn, 2024"])
    assert len(done.of_models()) == 2
    for request in done.of_models():
        messages: Any = request["messages"]
        given = {part["name"]: part["text"] for part in messages[0]["content"][0]["inputs"]}
        assert "Churn, 2024" in given["library"]
