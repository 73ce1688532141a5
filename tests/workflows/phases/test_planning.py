"""`planning`: what a planner is asked for."""

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError
from temporalio.exceptions import ActivityError, TimeoutError

from contracts.collections import CollectionUse
from contracts.notices import Notice
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningConfig, PlanningPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.planning.brief import Answered, tell_answers
from contracts.planning.plan import Plan, PlanDraft, PlanStep
from domain.report.subject_text import build_plan
from tests.workflows.agents.test_research_team import FAILED
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import opened, work
from workflows.checkpoints.prices.plan_price import price_plan
from workflows.phases.planning import list_faults


async def test_a_planner_hears_of_one_limit_to_its_searches() -> None:
    done = await work(Fakes(), PlanningPhase(id="again"))
    for request in done.of_models():
        schema: Any = request["output_schema"]
        plan = schema["$defs"].get("DraftedPlan", schema)["properties"]
        assert "maxItems" in plan["outline"]
        assert "maxItems" not in plan["search_terms"]
        assert "expanded_queries" not in plan, "a model writes one list of searches"
        assert "at most `max_searches`" in str(request["system"])


async def test_a_planner_and_its_reviewer_see_what_a_small_library_holds() -> None:
    done = await work(Fakes(), PlanningPhase(id="again"), library=["Churn, 2024"])
    assert len(done.of_models()) == 2
    for request in done.of_models():
        messages: Any = request["messages"]
        given = {part["name"]: part["text"] for part in messages[0]["content"][0]["inputs"]}
        assert "Churn, 2024" in given["library"]


async def test_planner_is_told_the_collections_that_are_searched_beside_the_web() -> None:
    notes = CollectionUse(id="n", name="Field notes", titles=["Churn, 2024"])
    folder = CollectionUse(id="f", name="Folder", titles=["Plans"], replaces_web=True)
    done = await work(Fakes(), PlanningPhase(id="again"), collections=[notes, folder])
    first, *_ = done.of_models()
    messages: Any = first["messages"]
    given = {part["name"]: part["text"] for part in messages[0]["content"][0]["inputs"]}
    assert json.loads(given["collections"]) == [
        {"name": "Field notes", "documents": ["Churn, 2024"]}
    ]


@pytest.mark.parametrize("library", [[], ["Churn, 2024"]], ids=["web", "library"])
async def test_planner_says_what_is_not_held_where_a_library_replaces_the_web(
    library: list[str],
) -> None:
    done = await work(Fakes(), PlanningPhase(id="again"), library=library)
    for request in done.of_models():
        schema: Any = request["output_schema"]
        plan = schema["$defs"].get("DraftedPlan", schema)
        assert ("not_held" in plan["required"]) is bool(library)
        assert ("not_held" in plan["properties"]) is bool(library)


def test_what_is_not_held_is_a_part_of_what_is_approved() -> None:
    plan = Plan(title="Cork", steps=[PlanStep(name="Look")])
    told = plan.model_copy(update={"not_held": ["export rules"]})
    assert told.hash != plan.hash
    assert "export rules" in build_plan(told, "en").model_dump_json()


async def test_a_planner_is_not_asked_how_long_a_step_takes_and_not_believed() -> None:
    fakes = Fakes()
    steps = [{"name": f"Part {n}", "estimated_duration": "2 min"} for n in range(3)]
    fakes.answers["PlanDraft"] = {**fakes.answers["PlanDraft"], "steps": steps}
    done = await work(fakes, PlanningPhase(id="again"))
    for request in done.of_models():
        schema: Any = request["output_schema"]
        assert "estimated_duration" not in schema["$defs"]["PlanStep"]["properties"]
        assert not re.search(r"minute|how long it takes|the time it", str(request["system"]))
    gave = done.gave[-1]
    plan: Any = gave["plan"]  # type: ignore[index]
    assert [step["estimated_duration"] for step in plan["steps"]] == [""] * 3
    assert plan["estimated_duration"]


async def test_planner_names_the_role_of_steps_only_where_there_are_several() -> None:
    fakes = Fakes()
    steps = [{"name": "Kenya"}, {"name": "Peru", "agent_role": "nobody"}]
    fakes.answers["PlanDraft"] = {**fakes.answers["PlanDraft"], "steps": steps}
    done = await work(fakes, PlanningPhase(id="again"), ResearchPhase(id="more"))
    first, *_ = done.of_models()
    schema: Any = first["output_schema"]
    assert "agent_role" not in schema["$defs"]["PlanStep"]["properties"]
    gave: Any = done.gave[0]
    assert {step["agent_role"] for step in gave["plan"]["steps"]} == {"researcher"}


async def test_approver_is_told_the_measures_that_the_pages_do_not_suffice_for() -> None:
    fakes = Fakes()
    measures = [f"Measure {n}" for n in range(1, 11)]
    fakes.answers["PlanDraft"] = {**fakes.answers["PlanDraft"], "measures": measures}
    done = await work(fakes, PlanningPhase(id="again"), HitlCheckpointPhase(id="ask"))
    gave: Any = done.gave[0]
    assert gave["plan"]["measures"] == measures[:8]
    left = Notice.of("plan-measures-dropped", n=2, most=8, names=measures[8:])
    assert left in done.shown[-1].asks


async def test_approver_is_told_the_steps_that_a_plan_may_not_have() -> None:
    fakes = Fakes()
    steps = [{"name": f"Part {n}"} for n in range(1, 6)]
    fakes.answers["PlanDraft"] = {**fakes.answers["PlanDraft"], "steps": steps}
    done = await work(fakes, PlanningPhase(id="again"), HitlCheckpointPhase(id="ask"))
    gave: Any = done.gave[0]
    assert [step["name"] for step in gave["plan"]["steps"]] == ["Part 1", "Part 2", "Part 3"]
    left = Notice.of("plan-steps-dropped", n=2, most=3, names=["Part 4", "Part 5"])
    assert left in done.shown[-1].asks


@pytest.mark.parametrize(
    ("times", "minutes"),
    [
        (["2 min"] * 4, 8),
        (["1 h", "30 minutes", "90 s"], 92),
        (["1.5 days", "soon"], 2160),
        (["", "a while", "3 weeks or so"], 1),
    ],
)
def test_a_plan_takes_no_less_time_than_its_steps(times: list[str], minutes: int) -> None:
    steps = [PlanStep(name="Look", estimated_duration=time) for time in times]
    plan = price_plan(opened(), PlanDraft(title="Pumps", steps=steps))
    assert plan.estimated_duration == f"{minutes} min"


EMPTY = {"requirements": "requirements", "outline": "outline", "search_terms": "searches"}
SOUND = PlanDraft(
    title="Pumps",
    requirements=["Their price"],
    steps=[PlanStep(name="Look")],
    search_terms=["pump prices 2023", "pump prices 2024"],
    outline=["Answer"],
)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"steps": SOUND.steps * 4}, "4 steps"),
        ({"search_terms": [f"pumps {n}" for n in range(9)]}, "9 searches"),
        ({"search_terms": ["pump prices", "Prices, pump"]}, "pump prices"),
        ({"measures": [f"measure {n}" for n in range(9)]}, "9 measures, at most 8"),
        ({"measures": ["cattle duty", "Duty, cattle"]}, "same words: cattle duty"),
        ({"measures": ["duty " * 17]}, "more than 80 characters: duty"),
        *(({name: []}, f"no {told}") for name, told in EMPTY.items()),
    ],
)
def test_what_breaks_a_rule_of_plans_is_found(changes: dict[str, Any], fault: str) -> None:
    assert list_faults(SOUND, PlanningConfig()) == []
    [told] = list_faults(SOUND.model_copy(update=changes), PlanningConfig())
    assert fault in told


def test_each_measure_of_a_plan_is_listed_once_and_none_is_empty() -> None:
    given = ["dairy cows", " ", "dairy cows ", "import duty", ""]
    plan = PlanDraft(title="Cows", steps=SOUND.steps, measures=given)
    assert plan.measures == ["dairy cows", "import duty"]


async def test_a_plan_that_breaks_no_rule_is_not_reviewed() -> None:
    fakes = Fakes()
    fakes.answers["PlanDraft"] = SOUND.model_dump(exclude={"expanded_queries"})
    done = await work(fakes, PlanningPhase(id="again"))
    assert [request["role"] for request in done.of_models()] == ["planner"]


async def test_plan_is_written_although_the_tools_of_a_server_could_not_be_listed() -> None:
    fakes = Fakes()

    def fail(kind: str, request: Any) -> None:
        if kind == "tools":
            late = TimeoutError(
                "activity StartToClose timeout", type=None, last_heartbeat_details=[]
            )
            raise ActivityError("timed out", **FAILED) from late

    fakes.before = fail
    granted = ResearchPhase(id="more", config=ResearchConfig(servers=["stock"]))
    done = await work(fakes, PlanningPhase(id="again"), granted)
    gave: Any = done.gave[0]
    [server] = gave["plan"]["servers"]
    assert (server["name"], server["tools"]) == ("stock", [])
    assert [note["code"] for note in server["notes"]] == ["tools-unlisted"]


@pytest.mark.parametrize(
    ("asked", "kept"),
    [("2010-06-30", "2010-06-30"), ("2999-01-01", None), ("", None)],
    ids=["past", "to come", "now"],
)
async def test_plan_has_the_past_day_that_the_request_asks_about(
    asked: str, kept: str | None
) -> None:
    fakes = Fakes()
    fakes.answers["PlanDraft"] = {**fakes.answers["PlanDraft"], "as_of": asked}
    done = await work(fakes, PlanningPhase(id="again"))
    first, *_ = done.of_models()
    schema: Any = first["output_schema"]
    assert "as_of" in schema["properties"]
    gave: Any = done.gave[-1]
    assert gave["plan"].get("as_of") == kept


def test_day_of_a_plan_is_part_of_what_is_approved_and_shown() -> None:
    plan = Plan(title="Cork", steps=[PlanStep(name="Look")])
    told = plan.model_copy(update={"as_of": "2010-06-30"})
    assert told.hash != plan.hash
    assert "2010-06-30" in build_plan(told, "en").model_dump_json()
    with pytest.raises(ValidationError):
        PlanDraft(title="Cork", steps=plan.steps, as_of="June 2010")


def test_one_answer_to_several_questions_is_shown_once() -> None:
    asked = [
        Answered(id=f"q{n}", question=f"Which {n}?", answer=answer)
        for n, answer in enumerate(["Cork.", None, "Cork.", None, "Kerry."])
    ]
    told = [(each["question"], each["answer"]) for each in tell_answers(asked)]
    assert told == [
        ("Which 0? Which 2?", "Cork."),
        ("Which 1?", None),
        ("Which 3?", None),
        ("Which 4?", "Kerry."),
    ]
