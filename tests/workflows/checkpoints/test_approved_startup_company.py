"""A plan that a human approved makes a startup."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import PhaseOverride
from contracts.planning.startup_company import Startup
from tests.support.words import en, phrase
from tests.workflows.support.run_harness import Harness, harness
from tests.workflows.support.startup_company_runs import approved, ended, keepers
from workflows.phases.clarification import NO_ONE


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, keepers()) as made:
        yield made


def told(runs: Harness, level: str) -> list[str]:
    said = [e.payload for e in runs.fakes.events if e.type == "Status"]
    return [
        str(s["message"])
        for s in said
        if s["level"] == level and s["notice"]["code"].startswith("startup-")
    ]


async def test_approved_plan_is_saved_as_a_startup(runs: Harness) -> None:
    runs.fakes.answers["PlanDraft"] = {
        **runs.fakes.answers["PlanDraft"],
        "title": "P" * 300,
        "search_terms": ["pumps", "x" * 400],
        "geographical_scope": "Kenya",
    }
    handle = await runs.start(definition_id="idea", user_id="ann")
    await runs.answer(handle, q1="there", q2=None)
    planned = await runs.asked(handle, "checkpoint")
    assert not planned.startup
    assert planned.pending[0].keep_startup is False
    await runs.decide(handle, "approve", keep_startup=True)
    assert await ended(handle) == "completed"
    [kept] = runs.fakes.saved
    assert kept == Startup(
        id=kept.id,
        user_id="ann",
        name="P" * 200,
        description="Where to sell pumps?\nWhich place? there",
        search_terms=["pumps", "x" * 300],
        geographical_scope="Kenya",
        metadata={"run_id": handle.id},
    )
    assert (await runs.state(handle)).startup == kept
    assert told(runs, "info") == [en("startup-saved", name=kept.name, id=kept.id)]


async def test_saved_startup_is_offered_and_context_once_it_is_chosen(runs: Harness) -> None:
    first = await runs.start(definition_id="idea", user_id="ann")
    await runs.answer(first)
    await runs.decide(first, "approve", keep_startup=True)
    assert await ended(first) == "completed"
    [kept] = runs.fakes.saved
    for chosen in (kept.name, NO_ONE):
        runs.fakes.requests.clear()
        second = await runs.start("What do pumps cost?", definition_id="silent", user_id="ann")
        asked = await runs.asked(second, "clarification")
        assert asked.startup is None
        assert asked.pending[0].questions[-1].choices == [kept.name, NO_ONE]
        await runs.answer(second, startup=chosen)
        await runs.asked(second, "checkpoint")
        about = runs.fakes.told("clarifier", "startup") + runs.fakes.told("planner", "startup")
        assert [kept.name in text for text in about] == [False, chosen == kept.name]
        assert kept.id not in "".join(about)
        assert (await runs.state(second)).startup == (kept if chosen == kept.name else None)
        await runs.decide(second, "approve")
        assert await ended(second) == "completed"
    assert runs.fakes.saved == [kept]
    other = await runs.start(definition_id="silent", user_id="bob")
    questions = (await runs.asked(other, "clarification")).pending[0].questions
    assert [question.id for question in questions] == ["q1", "q2"]
    await other.terminate()


@pytest.mark.parametrize(
    ("definition_id", "start", "offered", "said", "kept"),
    [
        ("idea", None, False, True, 1),
        ("silent", True, True, None, 1),
        ("silent", True, True, False, 0),
        *(
            pytest.param(*case, marks=pytest.mark.full)
            for case in [
                ("idea", None, False, None, 0),
                ("idea", None, False, False, 0),
                ("plain", None, False, None, 0),
            ]
        ),
    ],
)
async def test_the_plan_asks_whether_to_keep_it_as_a_startup(
    runs: Harness,
    definition_id: str,
    start: bool | None,
    offered: bool,
    said: bool | None,
    kept: int,
) -> None:
    handle = await runs.start(definition_id=definition_id, save_startup=start)
    if definition_id != "plain":
        questions = (await runs.asked(handle, "clarification")).pending[0].questions
        assert [question.id for question in questions] == ["q1", "q2"]
        answers: Json = {"q1": "here", "q2": "now"}
        await runs.update(handle, "answer_questions", {"answers": answers})
    [shown] = (await runs.asked(handle, "checkpoint")).pending
    assert shown.keep_startup is offered
    assert "say `keep_startup`" in await handle.execute_update("wait", result_type=str)
    await runs.decide(handle, "approve", keep_startup=said)
    assert await ended(handle) == "completed"
    assert len(runs.fakes.saved) == kept
    [decision] = (await runs.state(handle)).decisions
    assert decision.keep_startup is bool(kept)


async def test_a_startup_is_kept_only_where_that_is_offered_and_by_an_approval(
    runs: Harness,
) -> None:
    handle = await runs.start(definition_id="plain", save_startup=False)
    [shown] = (await runs.asked(handle, "checkpoint")).pending
    assert shown.keep_startup is None
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await runs.decide(handle, "approve", keep_startup=True)
    assert f"keep_startup: {phrase('keep-not-offered')}" in str(refused.value.cause)
    await handle.terminate()
    handle = await runs.start(definition_id="plain")
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await runs.decide(handle, "reject", keep_startup=True)
    assert f"keep_startup: {phrase('keep-without-approval')}" in str(refused.value.cause)
    await handle.terminate()


async def test_long_answers_are_truncated_in_the_startup(runs: Harness) -> None:
    handle = await runs.start(definition_id="idea")
    await runs.answer(handle, q1="x" * 3_000)
    await runs.decide(handle, "approve", keep_startup=True)
    await ended(handle)
    assert runs.fakes.saved[0].description == "Where to sell pumps?"


async def test_modified_plan_is_saved_as_modified(runs: Harness) -> None:
    handle = await runs.start(definition_id="plain")
    changes: Json = {"title": "Sun pumps", "search_terms": ["sun"]}
    await runs.decide(handle, "modify", modifications=changes, keep_startup=True)
    await ended(handle)
    [kept] = runs.fakes.saved
    assert (kept.name, kept.search_terms) == ("Sun pumps", ["sun"])


@pytest.mark.parametrize(
    ("definition_id", "said", "kept"),
    [
        ("plain", True, 1),
        ("silent", False, 0),
        *(
            pytest.param(*case, marks=pytest.mark.full)
            for case in [
                ("plain", None, 0),
                ("plain", False, 0),
                ("silent", None, 0),
                ("silent", True, 1),
            ]
        ),
    ],
)
async def test_start_overrides_the_definition(
    runs: Harness, definition_id: str, said: bool | None, kept: int
) -> None:
    more: Json = {"clarification": {"enabled": False}} if definition_id == "silent" else {}
    handle = await runs.start(definition_id=definition_id, save_startup=said, config_overrides=more)
    await runs.decide(handle, "approve")
    assert await ended(handle) == ("partial" if more else "completed")
    assert len(runs.fakes.saved) == kept
    assert bool((await runs.state(handle)).startup) == bool(kept)


async def test_temporary_run_saves_no_startup(runs: Harness) -> None:
    await approved(runs, temp_workflow=True)
    assert not runs.fakes.saved


async def test_config_override_decides_on_saving(runs: Harness) -> None:
    overrides = {"recall": PhaseOverride(config={"save_startup": False})}
    await approved(runs, config_overrides=overrides)
    assert not runs.fakes.saved


async def test_default_preset_saves_no_startup(runs: Harness) -> None:
    handle = await runs.start()
    await runs.complete(handle)
    history = await handle.fetch_history()
    scheduled = {
        e.activity_task_scheduled_event_attributes.activity_type.name for e in history.events
    }
    assert "startups.recall" in scheduled
    assert "startups.save" not in scheduled


async def test_rejected_plan_is_not_saved(runs: Harness) -> None:
    handle = await runs.start(definition_id="plain")
    await runs.decide(handle, "reject")
    assert await ended(handle) == "rejected"
    assert not runs.fakes.saved


async def test_revised_plan_is_saved_only_after_approval(runs: Harness) -> None:
    handle = await runs.start(definition_id="plain")
    await runs.decide(handle, "revise", feedback="cheaper")
    await runs.until(handle, lambda s: s.phases[2].attempt == 2 and s.pending)
    assert not runs.fakes.saved
    await runs.decide(handle, "approve", keep_startup=True)
    await ended(handle)
    assert len(runs.fakes.saved) == 1


@pytest.mark.full
async def test_approval_by_timeout_saves_nothing(runs: Harness) -> None:
    config: Json = {"wait_seconds": 0.2, "default_on_timeout": "approve"}
    overrides = {"checkpoint": PhaseOverride(config=config)}
    handle = await runs.start(definition_id="plain", config_overrides=overrides)
    assert await ended(handle) == "partial"
    assert (await runs.state(handle)).decisions[0].default
    assert not runs.fakes.saved


async def test_approval_that_unlocks_nothing_saves_nothing(runs: Harness) -> None:
    unasked = await runs.start(definition_id="unasked")
    assert await ended(unasked) == "completed"
    await approved(runs, "unshown")
    assert not runs.fakes.saved


async def test_failure_to_save_is_a_warning(runs: Harness) -> None:
    def before(kind: str, _: Any) -> None:
        if kind == "save":
            raise ApplicationError("no", type="not-found", non_retryable=True)

    runs.fakes.before = before
    handle = await approved(runs, save_startup=True)
    state = await runs.state(handle)
    assert state.startup is None
    assert state.warnings == [en("startup-unsaved", reason="no")] == told(runs, "warning")


@pytest.mark.full
async def test_transient_failure_to_save_is_retried(runs: Harness) -> None:
    trouble = [
        ApplicationError("away", type="store-unavailable", non_retryable=True),
        ApplicationError("away", type="store-unavailable", non_retryable=True),
        ApplicationError("odd"),
    ]

    def before(kind: str, _: Any) -> None:
        if kind == "save" and trouble:
            raise trouble.pop(0)

    runs.fakes.before = before
    overrides = {"checkpoint": PhaseOverride(timeout_seconds=1)}
    handle = await approved(runs, save_startup=True, config_overrides=overrides)
    [kept] = runs.fakes.saved
    assert (await runs.state(handle)).startup == kept
    assert not told(runs, "warning")
