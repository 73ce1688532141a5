"""The default definition, from its question to its report, on fake activities."""

from collections.abc import AsyncIterator

import pytest
from temporalio.client import Client, WorkflowUpdateFailedError

from contracts.base import Json
from contracts.definitions import PhaseOverride
from contracts.models.call import ModelRequest
from contracts.notices import Notice
from contracts.planning.brief import Brief
from contracts.planning.plan import Plan
from contracts.planning.startup_company import Startup
from tests.support.temporal.sandbox import workflow_runner
from tests.support.words import en, opening, phrase
from tests.workflows.support.run_harness import Harness, harness
from workflows.phases.clarification import NO_ONE


@pytest.fixture
async def runs(local_temporal: Client) -> AsyncIterator[Harness]:
    async with harness(local_temporal) as made:
        yield made


@pytest.fixture
async def served(temporal: Client) -> AsyncIterator[Harness]:
    """A harness of runs on the server, in the sandbox."""
    async with harness(temporal, workflow_runner=workflow_runner()) as made:
        yield made


async def test_a_run_asks_plans_waits_and_writes(served: Harness) -> None:
    handle = await served.start()
    asked = await served.asked(handle, "clarification")
    assert (asked.status, asked.stage) == ("waiting", "clarify")
    assert [q.context for q in asked.pending[0].questions] == ["Laws differ.", "Prices differ."]
    await served.answer(handle, q1="there", q2=None)
    planned = await served.asked(handle, "checkpoint")
    assert planned.stage == "plan"
    assert planned.plan_hash == planned.pending[0].plan_hash
    assert not served.fakes.searches
    await served.decide(handle, "approve", by="ann")
    result = await handle.result()
    assert (result.status, result.report_title) == ("completed", "Pumps")
    assert served.fakes.calls == [
        "clarification/questions-1",
        "planning/draft",
        "planning/review-1",
        "research/turn-1",
        "research/turn-2",
        "research/turn-3",
        "synthesis/turn-1",
        "synthesis/turn-2",
        "synthesis/turn-3",
    ], "the last turn reads the report again; the summary is the opening of the text, and no call"
    types = [event.type for event in served.fakes.events]
    assert types.count("step_start") == types.count("step_complete") == len(asked.phases)
    assert types[-1] == "workflow_complete"
    assert [e.key for e in served.fakes.events] == [f"w-{n + 1}" for n in range(len(types))]
    report = await handle.query("report")
    assert "1. “Pumps sell.” — [" in report


@pytest.mark.parametrize(
    ("set_size", "own", "sizes"),
    [
        pytest.param({"max_report_update_size": 120}, {}, ["120", "120"], marks=pytest.mark.full),
        ({"max_report_update_size": 120}, {"max_report_update_size": 300}, ["120", "300"]),
        ({}, {}, ["800", "4000"]),
    ],
)
async def test_update_size_that_is_set_for_the_research_holds_in_every_phase(
    runs: Harness, set_size: Json, own: Json, sizes: list[str]
) -> None:
    changed = {
        "research": {"config": set_size},
        "synthesis": {"config": own},
    }
    overrides = {name: PhaseOverride.model_validate(each) for name, each in changed.items()}
    handle = await runs.start(config_overrides=overrides)
    await runs.complete(handle)
    told = {
        request.role: given.text
        for request in runs.fakes.requests
        for block in request.messages[0].content
        for given in block.inputs
        if given.name == "max_update_size"
    }
    assert told == dict(zip(("researcher", "synthesizer"), sizes, strict=True))


async def test_the_approved_price_is_the_cap(runs: Harness) -> None:
    handle = await runs.start()
    await runs.complete(handle)
    state = await runs.state(handle)
    assert state.plan
    assert state.cap_usd == state.plan.estimated_cost.top_usd
    assert {r.cap_usd for r in runs.fakes.requests if r.role == "synthesizer"} == {state.cap_usd}


async def test_a_plan_that_became_dearer_is_shown_at_its_price_before_it_counts(
    runs: Harness,
) -> None:
    handle = await runs.start()
    await runs.answer(handle)
    shown = await runs.asked(handle, "checkpoint")
    terms: Json = {"search_terms": [f"pumps {n}" for n in range(9)]}
    await runs.decide(handle, "modify", modifications=terms)
    dearer = await runs.state(handle)
    assert dearer.decisions == []
    assert dearer.pending[0].plan_hash == dearer.plan_hash != shown.plan_hash
    assert dearer.price.expected_usd > shown.price.expected_usd
    assert not runs.fakes.searches
    await runs.decide(handle, "approve")
    await handle.result()
    state = await runs.state(handle)
    assert state.cap_usd == state.price.top_usd > shown.price.top_usd
    assert state.decisions[-1].plan_hash == state.plan_hash == dearer.plan_hash
    again = [e.payload["again"] for e in runs.fakes.events if e.payload.get("again")]
    assert again == ["price"]


async def test_a_reject_ends_the_run_before_any_search(runs: Harness) -> None:
    handle = await runs.start()
    await runs.answer(handle)
    await runs.decide(handle, "reject", feedback="too dear")
    assert (await handle.result()).status == "rejected"
    state = await runs.state(handle)
    assert state.stage == "cancelled"
    assert {p.id: p.status for p in state.phases}["research"] == "skipped"
    assert not runs.fakes.searches


async def test_revise_makes_another_plan_as_often_as_asked(runs: Harness) -> None:
    overrides = {"clarification": PhaseOverride(config={"decompose": True})}
    handle = await runs.start(config_overrides=overrides)
    await runs.answer(handle)
    for number, wish in enumerate(("cheaper", "shorter"), start=1):
        await runs.decide(handle, "revise", feedback=wish)
        await runs.until(handle, lambda s, n=number: s.phases[3].attempt == n + 1 and s.pending)  # type: ignore[misc]
    drafts = [r for r in runs.fakes.requests if r.scope.name == "draft"]
    assert [r.scope.attempt for r in drafts] == [1, 2, 3]
    first, *again = ({i.name: i.text for i in r.messages[0].content[0].inputs} for r in drafts)
    assert again[-1]["feedback"] == "cheaper\nshorter"
    assert "earlier_version" not in first
    assert all('"title":"Pumps"' in told["earlier_version"] for told in again)
    assert ["decomposition" in told for told in (first, *again)] == [True, False, False]
    assert not [r for r in runs.fakes.requests if r.scope.name == "decompose"], "carried over"
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"


async def test_modify_approves_the_changed_plan_under_its_new_hash(runs: Harness) -> None:
    handle = await runs.start()
    await runs.answer(handle)
    shown = (await runs.asked(handle, "checkpoint")).plan_hash
    await runs.decide(handle, "modify", modifications={"search_terms": ["solar pumps"]})
    assert (await handle.result()).status == "completed"
    state = await runs.state(handle)
    assert state.plan
    assert state.plan.search_terms == ["solar pumps"]
    assert state.decisions[-1].plan_hash == state.plan_hash != shown


async def test_modified_assumptions_keep_their_ids(runs: Harness) -> None:
    runs.fakes.answers["PlanDraft"] = runs.fakes.answers["PlanDraft"] | {
        "assumptions": ["Rain as before.", "Prices stay."]
    }
    handle = await runs.start()
    await runs.answer(handle)
    plan = (await runs.asked(handle, "checkpoint")).plan
    assert plan
    kept = plan.assumptions[1].model_dump(mode="json")
    await runs.decide(handle, "modify", modifications={"assumptions": ["Diesel is dear.", kept]})
    await handle.result()
    shown = (await runs.state(handle)).plan
    assert shown
    texts = [(assumed.id, assumed.text) for assumed in shown.assumptions]
    assert texts[:2] == [("A5", "Diesel is dear."), ("A2", "Prices stay.")]


async def test_a_stale_or_second_approval_is_refused(runs: Harness) -> None:
    handle = await runs.start()
    await runs.answer(handle)
    old = (await runs.asked(handle, "checkpoint")).plan_hash
    await runs.decide(handle, "modify", modifications={"title": "Other"})
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await runs.update(handle, "decide", {"action": "approve", "plan_hash": old})
    assert refused.value.cause.type == "conflict"  # type: ignore[attr-defined]


WRONG: tuple[tuple[object, str], ...] = (
    ({"action": "approve"}, phrase("plan-hash-missing")),
    ({"action": "approve", "plan_hash": "0" * 64}, f"plan_hash: {phrase('plan-stale')}"),
    ({"action": "dance"}, "action"),
    ({"action": "revise"}, f"feedback: {en('feedback-missing')}"),
    ({"action": "modify", "modifications": {"estimated_cost": {}}}, phrase("plan-hash-missing")),
    (
        {"action": "reject", "checkpoint_id": "x-1"},
        opening("checkpoint-closed", "checkpoint", checkpoint="x-1"),
    ),
    ({"action": "reject", "extra": 1}, "extra"),
    ([], phrase("message-no-object")),
    (None, "action"),
)


async def test_a_wrong_decision_is_refused_with_the_field(served: Harness) -> None:
    handle = await served.start()
    await served.answer(handle)
    await served.asked(handle, "checkpoint")
    before = await served.quiet(handle)
    for body, reason in WRONG:
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update("decide", body)
        assert reason in str(refused.value.cause), body
    assert (await handle.describe()).history_length == before
    await served.decide(handle, "reject")


async def test_answers_to_unknown_questions_are_refused(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await runs.update(handle, "answer_questions", {"answers": {"q9": "x"}})
    assert f"answers.q9: {phrase('question-unknown')} q1, q2" in str(refused.value.cause)
    await runs.update(handle, "cancel", {})
    assert (await handle.result()).status == "cancelled"


async def test_startups_are_a_question_one_like_several(runs: Harness) -> None:
    runs.fakes.startups = [Startup(id=n, user_id="local", name=n.title()) for n in ("sun", "sea")]
    handle = await runs.start()
    asked = await runs.asked(handle, "clarification")
    assert asked.pending[0].questions[-1].choices == ["Sun", "Sea", NO_ONE]
    with pytest.raises(WorkflowUpdateFailedError):
        await runs.answer(handle, startup="Moon")
    await runs.answer(handle, startup="Sea")
    planned = await runs.asked(handle, "checkpoint")
    assert planned.startup
    assert planned.startup.id == "sea"
    runs.fakes.startups.pop()
    alone = await runs.start()
    only = await runs.asked(alone, "clarification")
    assert only.startup is None
    [*_, offer] = only.pending[0].questions
    assert (offer.question, offer.choices) == (
        en("ask-startup", name="Sun"),
        ["Sun", NO_ONE],
    )
    await runs.update(alone, "cancel", {})


async def test_a_clear_question_is_asked_nothing_where_nothing_need_be(runs: Harness) -> None:
    def clear(kind: str, request: ModelRequest) -> None:
        if kind == "model" and request.scope.phase_id == "clarification":
            told = {i.name: i.text for i in request.messages[0].content[0].inputs}
            clear = {**runs.fakes.answers["Questions"], "missing": [], "questions": []}
            runs.fakes.answers["Questions"] = clear
            assert told["min_questions"] == "0"

    runs.fakes.before = clear
    overrides = {"clarification": PhaseOverride(config={"mode": "when_ambiguous"})}
    handle = await runs.start(config_overrides=overrides)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    assert runs.fakes.calls.count("clarification/questions-1") == 1


async def test_what_stays_open_after_the_rounds_is_assumed(runs: Harness) -> None:
    asked = runs.fakes.answers["Questions"]
    again = [
        {"question": "which  place", "context": ""},
        {"question": "Which soil?", "context": ""},
    ]
    rounds = iter([asked, {**asked, "questions": [*again, *again]}])
    runs.fakes.answers["Questions"] = lambda _: next(rounds)
    config: Json = {"mode": "when_ambiguous", "max_rounds": 2}
    handle = await runs.start(config_overrides={"clarification": PhaseOverride(config=config)})
    await runs.answer(handle, q1="here")
    second = await runs.until(
        handle, lambda s: s.pending and s.pending[0].checkpoint_id.endswith("-r2")
    )
    [left] = second.pending[0].questions
    assert (left.id, left.question) == ("q3", "Which soil?"), "what was answered is not asked again"
    await runs.answer(handle)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    phases = {p.id: p for batch in runs.fakes.batches for p in batch.phases}
    brief = Brief.model_validate((phases["clarification"].output or {})["brief"])
    assert [a.id for a in brief.answers] == ["q1", "q2", "q3"]
    assert [a.id for a in brief.answers if a.answer is None] == ["q2", "q3"]
    assert not brief.assumptions
    told = Notice.of("left-to-us", "info", question="Which soil?")
    plan = Plan.model_validate((phases["planning"].output or {})["plan"])
    assert told in [assumed.text for assumed in plan.assumptions]
    assert told.text in str(await handle.query("report"))
