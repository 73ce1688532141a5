"""`idea_generation`: ideas are reviewed and mended, one is chosen, and a plan pursues it."""

import json
from typing import Any

import pytest
from pydantic import JsonValue, TypeAdapter
from temporalio.client import Client
from temporalio.exceptions import ActivityError, ApplicationError

from contracts.base import Json
from contracts.human.checkpoint_subjects import IdeasSubject
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.planning.brief import Idea, IdeaReview
from tests.support.words import en
from tests.workflows.agents.test_research_team import FAILED
from tests.workflows.phases.test_review_and_summary import told
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import work
from tests.workflows.support.run_harness import harness
from workflows.phases.idea_generation import select_best
from workflows.runtime.failures import describe_failure

PHASE: TypeAdapter[Phase] = TypeAdapter(Phase)
IDEAS: Json = {"kind": "idea_generation"}
CHOICE: Json = {"kind": "hitl_checkpoint", "config": {"checkpoint_type": "custom"}}
UNPLANNED: Json = {**CHOICE, "config": {"checkpoint_type": "custom", "show_plan": False}}
REPLAN: Json = {"kind": "planning", "id": "replan"}


def phases(*given: Json) -> list[Phase]:
    return [PHASE.validate_python(phase) for phase in given]


def roles(requests: list[Json]) -> list[object]:
    return [request["role"] for request in requests]


@pytest.mark.parametrize(
    ("config", "calls"), [({}, 4), ({"n_reviews": 0}, 2), ({"n_reviews": 5, "max_rounds": 7}, 6)]
)
async def test_maker_and_critic_alternate_within_max_rounds(config: Json, calls: int) -> None:
    done = await work(Fakes(), *phases({**IDEAS, "config": config}))
    requests = done.of_models()
    assert roles(requests) == ["idea_maker", "idea_hater"] * (calls // 2)
    assert all("reviews" in told(r) for r in requests[2::2])
    assert all(not r["tools"] for r in requests)


async def test_highest_score_is_selected_and_first_wins_a_tie() -> None:
    done = await work(Fakes(), *phases(IDEAS))
    output: Any = done.gave[0]
    assert output["selected_idea"]["title"] == "Sell"
    assert [review["score"] for review in output["reviews"]] == [5, 6]
    ideas = [Idea(title=t, description="", why="") for t in "abc"]
    reviews = [IdeaReview(idea=n, strengths=[], weaknesses=[], score=5) for n in (3, 2)]
    assert select_best(ideas, reviews).title == "b"
    assert select_best(ideas, []).title == "a"


async def test_titles_are_unique_and_surplus_ideas_are_dropped() -> None:
    fakes = Fakes()
    same: Json = {"title": "x" * 200, "description": "", "why": ""}
    named_like_an_action: Json = {**same, "title": "approve"}
    fakes.answers["DraftIdeas"] = {"ideas": [same, same, named_like_an_action, same]}
    done = await work(fakes, *phases(IDEAS, UNPLANNED))
    output: Any = done.gave[0]
    titles = [idea["title"] for idea in output["ideas"]]
    assert titles == ["x" * 100, "2. " + "x" * 97, "3. approve"]


async def test_ideas_revised_after_their_last_review_have_none() -> None:
    def fail(_: str, request: Any) -> None:
        if request.scope.name == "last-review":
            raise ActivityError("declined", **FAILED) from ApplicationError(
                "no", type="model-declined", non_retryable=True
            )

    fakes = Fakes()
    fakes.before = fail
    done = await work(fakes, *phases(IDEAS, UNPLANNED), choice="Rent")
    output: Any = done.gave[0]
    assert (output["reviews"], output["selected_idea"]["title"]) == ([], "Rent")
    assert Notice.of("ideas-unreviewed-since") in done.shown[0].asks


async def test_ideas_beyond_the_number_asked_for_are_named() -> None:
    fakes = Fakes()
    ideas = [{"title": title, "description": "", "why": ""} for title in ("a", "b", "c", "d")]
    fakes.answers["DraftIdeas"] = {"ideas": ideas}
    done = await work(fakes, *phases(IDEAS, UNPLANNED), choice="b")
    assert Notice.of("ideas-dropped", most=3, names=["d"]) in done.shown[0].asks


async def test_idea_chosen_by_a_human_is_planned() -> None:
    done = await work(Fakes(), *phases(IDEAS, UNPLANNED, REPLAN), choice="Rent")
    [shown] = done.shown
    assert shown.options == ["Rent", "Sell", "approve", "reject", "revise"]
    assert isinstance(shown.subject, IdeasSubject)
    told_of = [(each.idea.title, each.review and each.review.idea) for each in shown.subject.ideas]
    assert told_of == [("Rent", 1), ("Sell", 2)], "each with its own review, and none selected"
    planner = next(r for r in done.of_models() if r["role"] == "planner")
    assert json.loads(told(planner)["idea"])["title"] == "Rent"


async def test_shown_plan_or_own_choices_exclude_ideas_as_options() -> None:
    done = await work(Fakes(), *phases(IDEAS, CHOICE))
    assert done.shown[0].options == ["approve", "reject", "modify", "revise"]
    assert done.shown[0].plan_hash
    options: list[JsonValue] = ["now", "later"]
    config: Json = {"checkpoint_type": "custom", "show_plan": False, "options": options}
    own: Json = {**UNPLANNED, "config": config}
    done = await work(Fakes(), *phases(IDEAS, own), choice="later")
    assert done.shown[0].options[:2] == ["now", "later"]


async def test_idea_preset_offers_ideas_and_accepts_a_revision(temporal: Client) -> None:
    async with harness(temporal) as house:
        handle = await house.start(definition_id="idea_generation")
        await house.decide(handle, "revise", feedback="Smaller, please.")
        state = await house.until(handle, lambda s: s.pending and s.phases[1].attempt == 2)
        assert state.pending[0].options == ["Rent", "Sell", "approve", "reject", "revise"]
        sent_back = state.pending[0].sent_back
        assert sent_back is not None
        assert sent_back.version == 2
        assert state.results.selected_idea is None, "nobody has chosen yet"
        with pytest.raises(Exception, match="failed") as refused:
            await house.decide(handle, "approve")
        [problem] = describe_failure(refused.value).problems
        assert (problem.path, problem.params) == ("choice", {"allowed": ["Rent", "Sell"]})
        await house.decide(handle, "approve", choice="Rent")
        assert (await handle.result()).status == "completed"
        chosen: Any = (await house.state(handle)).results.model_dump(mode="json")["selected_idea"]
        assert chosen["title"] == "Rent"
    again = [r for r in house.fakes.requests if r.scope.attempt == 2]
    assert told(again[0].model_dump(mode="json"))["feedback"] == "Smaller, please."


async def test_no_human_is_asked_to_choose_where_no_idea_was_written(temporal: Client) -> None:
    async with harness(temporal) as house:
        house.fakes.answers["DraftIdeas"] = {"ideas": []}
        handle = await house.start(definition_id="idea_generation")
        assert (await handle.result()).status == "failed"
        state = await house.state(handle)
    told = [(phase.status, phase.error and phase.error.message) for phase in state.phases]
    assert told[1:] == [
        ("failed", en("no-idea")),
        ("skipped", None),
    ]


async def test_chosen_idea_is_planned_with_the_roles_of_control(temporal: Client) -> None:
    async with harness(temporal) as house:
        handle = await house.start(definition_id="idea_to_execution")
        state = await house.asked(handle, "choice")
        assert state.pending[0].options[:2] == ["Rent", "Sell"]
        await house.update(handle, "decide", {"action": "approve", "choice": "Rent"})
        state = await house.asked(handle, "checkpoint")
        assert state.pending[0].options == ["approve", "reject", "modify", "revise"]
        await house.decide(handle, "approve")
        assert (await handle.result()).status == "completed"
        report = await handle.query("report")
    writer = told(next(r for r in house.fakes.requests if r.role == "synthesizer").model_dump())
    assert json.loads(writer["objections"]) == ["Slow as 1."]
    judges = [r.judge for r in house.fakes.requests if r.scope.phase_id == "control" and r.judge]
    assert judges
    assert all(judge.idea.startswith("Rent: ") for judge in judges)
    assert "## Market" in report.partition(en("idea-heading", title="Rent"))[0], "the answer first"
    begins = report.partition(f"## {en('idea-heading', title='Rent')}\n\n")[2]
    assert begins.startswith("> ")
    assert f"> {en('idea-weakness', text='Slow as 1.')}" in begins.partition("## ")[0]
    planner = next(r for r in house.fakes.requests if r.role == "planner")
    assert json.loads(told(planner.model_dump(mode="json"))["idea"])["title"] == "Rent"
    schema: Any = planner.output_schema
    role = schema["$defs"]["PlanStep"]["properties"]["agent_role"]
    assert role["enum"] == ["researcher", "engineer"]
