"""Clarification: its questions, the fallback without a model, and the end of a round."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from temporalio.client import Client, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from contracts.base import Json
from contracts.definitions import PhaseOverride
from contracts.notices import Notice
from contracts.planning.assumptions import Assumption
from contracts.runs.state_view import StateView
from tests.support.offline_services import eventually
from tests.support.words import en, phrase
from tests.workflows.support.run_harness import Handle, Harness, harness, with_crews
from workflows.phases.clarification import GO_ON

CLEAR: Json = {"missing": [], "questions": []}


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal) as made:
        yield made


def fail(runs: Harness, *names: str, type: str = "model-refused") -> None:
    """Have these calls of clarification get no answer."""

    def before(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.name in names:
            raise ApplicationError("no", type=type, non_retryable=True)

    runs.fakes.before = before


async def put(runs: Harness, handle: Handle) -> list[tuple[str, str]]:
    """Return the id and the words of each question that is open."""
    [asked] = (await runs.asked(handle, "clarification")).pending
    return [(question.id, question.question) for question in asked.questions]


async def test_for_whom_where_and_when_are_told_to_who_asks_and_who_plans(runs: Harness) -> None:
    given: Json = {"audience": "a board", "region": "Kenya", "timeframe": "until 2026"}
    handle = await runs.start(inputs=given)
    await runs.answer(handle)
    await runs.asked(handle, "checkpoint")
    for phase in ("clarification", "planning"):
        request = next(r for r in runs.fakes.requests if r.scope.phase_id == phase)
        told = request.model_dump_json(include={"messages"})
        assert [value for value in given.values() if str(value) not in told] == []


async def test_single_answers_leave_the_other_questions_open(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    nothing: list[Json] = [{}, {"answers": {}}]
    for said in nothing:
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await runs.update(handle, "answer_questions", said)
        assert en("answers-missing", known=["q1", "q2"]) in str(refused.value.cause)
    await runs.update(handle, "answer_questions", {"answers": {"q2": "2026"}})
    assert await put(runs, handle) == [("q1", "Which place?")]
    await runs.update(handle, "answer_questions", {"answers": {"q1": None}})
    planned = await runs.asked(handle, "checkpoint")
    assert planned.answers == {"clarification-1": {"q1": None, "q2": "2026"}}
    heard = [e.payload["answers"] for e in runs.fakes.events if e.type == "HumanResponseEvent"]
    assert heard == [{"q2": "2026"}, {"q1": None}]
    await handle.terminate()


async def test_rest_leaves_what_is_not_answered_to_the_run(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    await runs.update(handle, "answer_questions", {"answers": {"q2": "2026"}, "rest": None})
    planned = await runs.asked(handle, "checkpoint")
    assert planned.answers == {"clarification-1": {"q1": None, "q2": "2026"}}
    assert planned.plan
    left = Notice.of("left-to-us", "info", question="Which place?")
    assert planned.plan.assumptions == [Assumption(id="A1", text=left)]
    await handle.terminate()


async def test_what_the_planner_decided_stands_for_a_question_left_to_it(runs: Harness) -> None:
    draft = runs.fakes.answers["PlanDraft"]
    assumed, kenya = "Rain as before.", "Kenya, which has the figures."
    plan = draft | {"assumptions": [assumed], "decided": {"q1": kenya}}
    reviewed = plan | {"title": "Reviewed", "decided": {"q1": "Peru."}}
    runs.fakes.answers |= {
        "PlanDraft": plan,
        "PlanReview": {"accepted": False, "issues": ["Peru"], "plan": reviewed},
    }
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    await runs.update(handle, "answer_questions", {"answers": {"q2": "2026"}, "rest": None})
    planned = await runs.asked(handle, "checkpoint")
    assert planned.plan
    decided = Notice.of("left-and-decided", "info", decision="Peru")
    texts = [(each.id, each.text) for each in planned.plan.assumptions]
    assert texts == [("A1", assumed), ("A2", decided)]
    asked: list[Any] = [r.output_schema for r in runs.fakes.requests if "plan" in r.role]
    for schema in asked:  # schemas of planners and reviewers
        plan = schema["$defs"].get("DraftedPlan", schema)
        assert "decided" in plan["required"]
        assert plan["properties"]["decided"]["required"] == ["q1"]
    await handle.terminate()


@pytest.mark.full
async def test_answers_so_far_count_when_time_is_over(runs: Harness) -> None:
    waits = {"clarification": PhaseOverride(config={"wait_seconds": 3})}
    handle = await runs.start(config_overrides=waits)
    await runs.asked(handle, "clarification")
    await runs.update(handle, "answer_questions", {"answers": {"q1": "here"}})
    planned = await runs.asked(handle, "checkpoint")
    assert planned.answers == {"clarification-1": {"q1": "here", "q2": None}}
    await handle.terminate()


async def test_run_about_no_startup_is_not_asked_about_those_that_another_looked_up(
    runs: Harness,
) -> None:
    known: Json = {"recall": {"startups": [{"id": "s1", "name": "Pumps"}]}}
    for said, asked in ((None, ["q1", "q2", "startup"]), ("none", ["q1", "q2"])):
        handle = await runs.start(given=known, startup_id=said)
        assert [name for name, _ in await put(runs, handle)] == asked
        await handle.terminate()


STARTUPS: Json = {"recall": {"startups": [{"id": "s1", "name": "Pumps"}]}}


@pytest.mark.parametrize(
    "said",
    [
        [{"q1": "here"}, {"q2": "2026"}],
        [{"startup": "Pumps"}, {"q1": "here"}, {"q2": None}],
        pytest.param([{"q1": "here", "q2": None}], marks=pytest.mark.full),
        pytest.param([{"q1": "here", "q2": "2026", "startup": "Pumps"}], marks=pytest.mark.full),
    ],
)
async def test_an_offer_is_declined_once_all_questions_are_answered(
    runs: Harness, said: list[dict[str, str | None]]
) -> None:
    handle = await runs.start(given=STARTUPS)
    assert [name for name, _ in await put(runs, handle)] == ["q1", "q2", "startup"]
    for answers in said:
        await runs.update(handle, "answer_questions", {"answers": dict(answers)})
    planned = await runs.asked(handle, "checkpoint")
    [given] = planned.answers.values()
    chosen = {name: text for answers in said for name, text in answers.items()}
    assert given == {"startup": None, **chosen}
    await handle.terminate()


async def test_a_question_that_is_opened_again_keeps_offers_open(runs: Harness) -> None:
    handle = await runs.start(given=STARTUPS)
    await runs.asked(handle, "clarification")
    for answers in ({"q1": "here"}, {"q1": "", "q2": "2026"}):
        await runs.update(handle, "answer_questions", {"answers": dict(answers)})
    assert {name for name, _ in await put(runs, handle)} == {"q1", "startup"}
    await handle.terminate()


async def test_what_is_judged_missing_is_asked_about_even_without_a_question(runs: Harness) -> None:
    runs.fakes.answers["Questions"] = {"missing": ["place", "time"], "questions": []}
    handle = await runs.start("Plan a trip", definition_id="web_answer")
    assert await put(runs, handle) == [("q1", en("ask-missing", missing=["place", "time"]))]
    assert not runs.fakes.searches
    await runs.answer(handle, q1="Kenya in May")
    assert (await handle.result()).status == "completed", "the same is not asked again"
    assert runs.fakes.told("planner", "answers")[0].count("Kenya in May") == 1


async def test_a_question_of_the_product_that_is_left_to_the_run_is_assumed_as_a_notice(
    runs: Harness,
) -> None:
    runs.fakes.answers["Questions"] = {"missing": ["place"], "questions": []}
    handle = await runs.start("Plan a trip")
    await runs.answer(handle, q1=None)
    planned = await runs.asked(handle, "checkpoint")
    assert planned.plan
    asks = Notice.of("ask-missing", missing=["place"])
    texts = [assumed.text for assumed in planned.plan.assumptions]
    assert texts == [Notice.of("left-to-us", "info", question=asks)]
    await handle.terminate()


UNATTENDED = ["one_shot", pytest.param("planning_and_control", marks=pytest.mark.full)]
DECIDED = ["idea_generation", pytest.param("deep_research_hitl", marks=pytest.mark.full)]


async def hear(runs: Harness, role: str) -> str:
    """Wait for the first request to another role than this one; return its text."""

    async def told() -> str:
        others = [r.messages[0].content[0] for r in runs.fakes.requests if r.role != role]
        return "".join(i.text for i in others[0].inputs) if others else ""

    heard: str = await eventually(told)
    return heard


@pytest.mark.parametrize("definition_id", [*UNATTENDED, *DECIDED])
async def test_preset_that_asks_nothing_else_asks_what_a_question_is_about_that_says_nothing(
    runs: Harness, definition_id: str
) -> None:
    about: Json = {"question": "What is it about?", "context": "Nothing says."}
    empty: Json = {"missing": ["subject", "purpose"], "questions": [about]}
    judged = iter([empty, CLEAR])
    runs.fakes.answers["Questions"] = lambda _: next(judged)
    handle = await runs.start("What does it cost?", definition_id=definition_id)
    assert await put(runs, handle) == [("q1", "What is it about?")]
    assert runs.fakes.calls == ["clarification/questions-1"]
    await runs.answer(handle, q1="A pump")
    assert "A pump" in await hear(runs, "clarifier"), "who works first knows what it is about"
    with suppress(WorkflowUpdateFailedError, RPCError):  # it may have ended
        await handle.terminate()


@pytest.mark.parametrize("definition_id", UNATTENDED)
async def test_preset_without_a_human_waits_for_nobody_over_a_question_that_says_something(
    runs: Harness, definition_id: str
) -> None:
    handle = await runs.start(definition_id=definition_id)
    assert (await handle.result()).status == "completed", (
        "place and time are missing, its subject is not"
    )
    fail(runs, *BOTH)
    handle = await runs.start(definition_id=definition_id)
    assert (await handle.result()).status == "completed", "nobody judged, and nobody is needed"


@pytest.mark.parametrize(
    ("failure", "is_another_call"),
    [("model-refused", True), ("output-invalid", True), ("call-timed-out", False)],
)
async def test_failed_judgement_is_asked_for_again(
    runs: Harness, failure: str, *, is_another_call: bool
) -> None:
    """As another call only if the first was answered: an answer that came too late is in the journal."""
    fail(runs, "questions-1", type=failure)
    handle = await runs.start()
    assert await put(runs, handle) == [("q1", "Which place?"), ("q2", "Which year?")]
    assert runs.fakes.calls == ["clarification/questions-1-again"]
    [asked] = runs.fakes.requests
    assert asked.scope.plan_step == ("questions-1-again" if is_another_call else "")
    await handle.terminate()


BOTH = ("questions-1", "questions-1-again")


async def unjudged(runs: Harness, definition_id: str, **options: Any) -> tuple[Handle, StateView]:
    """Return a run whose question no model has judged, after it has begun to wait."""
    fail(runs, *BOTH)
    handle = await runs.start(definition_id=definition_id, **options)
    return handle, await runs.asked(handle, "clarification")


@pytest.mark.parametrize(
    "definition_id",
    [
        "deep_research",
        pytest.param("market_analysis", marks=pytest.mark.full),
        "web_answer",
    ],
)
async def test_question_that_no_model_judged_waits_for_a_human(
    runs: Harness, definition_id: str
) -> None:
    handle, state = await unjudged(runs, definition_id)
    question = state.pending[0].questions[0]
    assert (question.id, question.choices, question.required) == ("request", [GO_ON], True)
    no = Notice.of("text", text="no")
    reason = Notice.of("question-unjudged", reason=no).text
    assert reason in question.context
    assert next(p.warnings for p in state.phases if p.id == "clarification") == [reason]
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await runs.update(handle, "answer_questions", {"rest": None})
    assert f"answers.request: {phrase('answer-required')}" in str(refused.value.cause)
    assert not runs.fakes.requests
    await runs.update(handle, "cancel", {})
    assert (await handle.result()).status == "cancelled"
    told = [e.payload for e in runs.fakes.events if e.type == "Status"]
    assert reason in [payload["message"] for payload in told if payload["level"] == "warning"]
    assert not runs.fakes.searches


async def test_words_of_a_human_stand_in_for_the_judgement(runs: Harness) -> None:
    handle, _ = await unjudged(runs, "web_answer")
    runs.fakes.answers["Questions"] = CLEAR
    await runs.answer(handle, request="in Kenya")
    assert (await handle.result()).status == "completed"
    assert "in Kenya" in runs.fakes.told("planner", "answers")[0]


async def test_human_may_go_on_without_the_judgement(runs: Harness) -> None:
    handle, _ = await unjudged(runs, "web_answer")
    fail(runs, *BOTH, "questions-2", "questions-2-again")
    await runs.answer(handle, request=GO_ON)
    assert (await handle.result()).status == "completed", "nobody is asked that twice"
    assert runs.fakes.told("planner", "answers") == ["[]"]
    assert runs.fakes.searches


async def test_own_words_like_a_built_in_choice_are_an_answer(runs: Harness) -> None:
    handle = await runs.start()
    await runs.answer(handle, q1=GO_ON)
    await runs.asked(handle, "checkpoint")
    assert GO_ON in runs.fakes.told("planner", "answers")[0]
    await handle.terminate()


async def test_call_that_would_fail_again_is_not_made_again(runs: Harness) -> None:
    tried = []

    def before(kind: str, request: Any) -> None:
        if kind == "model":
            tried.append(request.scope.name)
            raise ApplicationError("401", type="model-rejected", non_retryable=True)

    runs.fakes.before = before
    handle = await runs.start(definition_id="web_answer")
    await runs.asked(handle, "clarification")
    assert tried == ["questions-1"]
    await handle.terminate()


async def test_run_that_nobody_says_how_to_go_on_ends_without_a_search(runs: Harness) -> None:
    waits = {"clarification": PhaseOverride(config={"wait_seconds": 0.5})}
    handle, _ = await unjudged(runs, "web_answer", config_overrides=waits)
    assert (await handle.result()).status == "rejected"
    assert not runs.fakes.searches


TWO = {"q1": "here", "q2": "this year"}


async def answer(runs: Harness, handle: Handle, **answers: str | None) -> None:
    await runs.update(handle, "answer_questions", {"answers": dict(answers)})


@pytest.mark.parametrize("blank", ["", "  \n"])
async def test_a_blank_answer_leaves_its_question_open(runs: Harness, blank: str) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    for answers in ({"q1": blank}, {"q1": blank, "q2": "this year"}):
        await answer(runs, handle, **answers)
    state = await runs.state(handle)
    assert [question.id for question in state.pending[0].questions] == ["q1"]
    assert state.answers == {"clarification-1": {"q2": "this year"}}
    await answer(runs, handle, q1="here")
    assert (await runs.asked(handle, "checkpoint")).answers == {"clarification-1": TWO}
    await handle.terminate()


@pytest.mark.parametrize("kind", ["update", "signal"])
async def test_an_answer_may_be_corrected_until_the_round_closes(runs: Harness, kind: str) -> None:
    async def say(**answers: str | None) -> None:
        if kind == "update":
            return await answer(runs, handle, **answers)
        return await handle.signal("answer_questions", {"answers": dict(answers)})

    handle = await runs.start()
    await runs.asked(handle, "clarification")
    for said in ("there", None, "here"):
        await say(q1=said)
        known: dict[str, str | None] = {"q1": said}
        state = await runs.until(
            handle,
            lambda s, known=known: s.answers == {"clarification-1": known},  # type: ignore[misc]
        )
        assert [question.id for question in state.pending[0].questions] == ["q2"]
        assert [question.id for question in state.pending[0].answered] == ["q1"]
    assert "Which place? here" in await handle.execute_update("wait", result_type=str)
    await say(q1="")
    state = await runs.until(handle, lambda s: len(s.pending[0].questions) == 2)
    assert not state.pending[0].answered
    await say(**TWO)
    assert (await runs.asked(handle, "checkpoint")).answers == {"clarification-1": TWO}
    told = runs.fakes.told("planner", "answers")[0]
    assert "here" in told
    assert "there" not in told
    await handle.terminate()


async def test_an_unknown_question_loses_no_other_answer(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    await answer(runs, handle, q1="here")
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await answer(runs, handle, q2="this year", q3="a lot")
    assert f"answers.q3: {phrase('question-unknown')} q2, q1" in str(refused.value.cause)
    assert (await runs.state(handle)).answers == {"clarification-1": {"q1": "here"}}
    await handle.terminate()


async def test_three_answers_lead_to_a_plan_of_the_market_analysis(temporal: Client) -> None:
    asked = [{"question": f"Which {name}?", "context": "It differs."} for name in ("a", "b", "c")]
    answers = {"q1": "B2B enterprise", "q2": "Generative AI for legal", "q3": "US market"}
    async with with_crews(temporal) as runs:
        runs.fakes.answers["Questions"] = {"missing": [], "questions": asked}
        handle = await runs.start(
            "I want to explore the AI market", definition_id="market_analysis"
        )
        state = await runs.asked(handle, "clarification")
        assert [question.id for question in state.pending[0].questions] == ["q1", "q2", "q3"]
        assert runs.fakes.told("clarifier", "min_questions") == ["3"]
        await answer(runs, handle, **answers)
        await runs.decide(handle, "approve")
        assert (await handle.result()).status == "completed"
        assert (await runs.state(handle)).answers == {"clarification-1": answers}
