"""`hitl_checkpoint`: its questions, its view, and its result without a decision."""

import pytest
from pydantic import JsonValue, ValidationError

from contracts.base import Json
from contracts.human.checkpoint_subjects import PlanSubject
from contracts.human.checkpoints import Decision, TextChange
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningConfig, PlanningPhase
from contracts.phases.research import ResearchPhase
from tests.support.words import en
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import NOW, PLAN, Done, opened, work
from workflows.checkpoints.subjects import describe_sent_back_outputs
from workflows.checkpoints.temporal_ui import render_details


async def asked(**config: object) -> Done:
    phase = HitlCheckpointPhase.model_validate({"id": "it", "config": config})
    return await work(Fakes(), phase)


DUE = {"deadline": "2026-11-30T19:49:04.983712+00:00"}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("after_planning", en("ask-after_planning")),
        ("before_execution", en("ask-before_execution")),
        ("after_execution", en("ask-after_execution")),
        ("custom", en("ask-custom")),
    ],
)
async def test_each_checkpoint_type_has_its_question(kind: str, message: str) -> None:
    [shown] = (await asked(checkpoint_type=kind)).shown
    assert shown.message == message
    modify = ["modify"] if kind != "after_execution" else []
    assert shown.options == ["approve", "reject", *modify, "revise"]


async def test_plan_says_before_its_approval_that_the_search_refused_at_its_last_use() -> None:
    phase = HitlCheckpointPhase(id="it")
    [shown] = (await work(Fakes(), phase, refusing=["brave"])).shown
    assert [asked.code for asked in shown.asks] == ["ask-after_planning", "ask-search-refused"]
    [shown] = (await work(Fakes(), phase)).shown
    assert [asked.code for asked in shown.asks] == ["ask-after_planning"]


async def test_temporal_shows_each_label_with_its_action() -> None:
    options: list[JsonValue] = [
        {"label": "Go", "action": "approve"},
        {"label": "No", "action": "reject"},
    ]
    [shown] = (await asked(options=options)).shown
    state = opened(ResearchPhase(id="again"))
    state.pending = [shown.model_copy(update=DUE)]
    details = render_details(state, "waiting")
    assert "Allowed: Go (approve), No (reject), revise. Until 2026-11-30 19:49 UTC." in details
    assert '"choice": "Go"' in details
    assert PLAN.hash in details


async def test_temporal_shows_a_plan_with_one_item_a_line_and_no_markup_of_its_own() -> None:
    hostile = "```\n# No plan\n![](http://127.0.0.1:9/seen.png) " * 9
    plan = PLAN.model_copy(update={"goal": hostile, "search_terms": ["pumps", "boats"]})
    [shown] = (await asked()).shown
    state = opened(ResearchPhase(id="again"))
    state.pending = [shown.replace_plan(plan).model_copy(update=DUE)]
    [told, _, rest] = render_details(state, "waiting").replace("\\`", "").split("```")
    assert not rest, "the command is the one code block"
    lines = told.splitlines()
    first = lines.index(f"### {en('plan-searches')}")
    assert lines[first + 2 : first + 4] == ["- pumps", "- boats"]
    assert f"# {plan.title}" in lines
    assert "# No plan" not in lines
    assert "![" not in told


@pytest.mark.parametrize("kind", ["before_step", "after_step"])
def test_step_checkpoint_types_are_refused_as_phases(kind: str) -> None:
    with pytest.raises(ValidationError, match=en("checkpoint-of-steps", value=kind)) as refused:
        HitlCheckpointPhase.model_validate({"config": {"checkpoint_type": kind}})
    assert refused.value.errors()[0]["loc"] == ("config", "checkpoint_type")


@pytest.mark.parametrize("plan", [True, False])
@pytest.mark.parametrize("context", [True, False])
async def test_plan_and_context_are_shown_if_configured(plan: bool, context: bool) -> None:
    [shown] = (await asked(show_plan=plan, show_context=context)).shown
    assert shown.subject == (PlanSubject(plan=PLAN) if plan else None)
    assert shown.plan_hash == (PLAN.hash if plan else None)
    outputs = ["planning", "checkpoint", "research", "synthesis"] if context else []
    assert [output.phase_id for output in shown.context] == outputs
    assert ("revise" in shown.options) is plan


@pytest.mark.parametrize("default", ["reject", "approve"])
async def test_deadline_applies_the_default_action(default: str) -> None:
    done = await asked(wait_seconds=0.5, default_on_timeout=default)
    ending = done.gave[0]
    if default == "reject":
        assert ending == "Rejected"
    else:
        assert isinstance(ending, dict)
        approval: Json = ending["approval"]  # type: ignore[assignment]
        assert approval["default"]


@pytest.mark.parametrize(("rounds", "roles"), [(50, 4), (3, 3), (2, 2), (1, 1)])
async def test_reviewer_who_objects_mends_the_plan_itself(rounds: int, roles: int) -> None:
    fakes = Fakes()
    mended: Json = {"title": "Mended", "steps": [{"name": "Look"}], "outline": ["Prices"]}
    fakes.answers["PlanReview"] = {"accepted": False, "issues": ["More."], "plan": mended}
    config = PlanningConfig(max_rounds=rounds, n_plan_reviews=3)
    done = await work(fakes, PlanningPhase(id="it", config=config))
    asked_for = [request["role"] for request in done.of_models()]
    assert asked_for == ["planner", *["plan_reviewer"] * (roles - 1)]
    assert isinstance(given := done.gave[-1], dict)
    assert ("Mended" in str(given["plan"])) is (roles > 1)


def test_results_made_again_say_why_and_what_changed() -> None:
    state = opened(ResearchPhase(id="again"))
    found = state.phase("again")
    found.earlier = {"answer": "It was done in June."}
    found.output = {"answer": "It was done in July."}
    assert describe_sent_back_outputs(state, "it", ["again"]) is None
    for words in ("sooner", "later"):
        state.decisions.append(
            Decision(checkpoint_id="c", phase_id="it", action="revise", feedback=words, at=NOW)
        )
    told = describe_sent_back_outputs(state, "it", ["again"])
    assert told
    assert told.words == ["sooner", "later"]
    assert told.changes == [TextChange(before="It was done in June.", after="It was done in July.")]
    accepted = state.decisions[-1].model_copy(update={"action": "approve"})
    state.decisions.append(accepted)
    assert describe_sent_back_outputs(state, "it", ["again"]) is None
