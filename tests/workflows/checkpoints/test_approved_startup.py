"""A plan that a human approved makes a startup."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import PhaseOverride
from contracts.report.research import Startup
from tests.workflows.support.run_harness import Harness, harness
from tests.workflows.support.startup_runs import approved, ended, keepers
from workflows.phases.clarification import KEEP, NO_ONE
from workflows.phases.hitl_checkpoint import KEEPS


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, keepers()) as made:
        yield made


def told(runs: Harness, level: str) -> list[str]:
    said = [e.payload for e in runs.fakes.events if e.type == "Status"]
    return [str(s["message"]) for s in said if s["level"] == level and "startup" in s["message"]]


async def test_approved_plan_is_saved_as_a_startup(runs: Harness) -> None:
    runs.fakes.answers["PlanDraft"] = {
        **runs.fakes.answers["PlanDraft"],
        "title": "P" * 300,
        "search_terms": ["pumps", "x" * 400],
        "geographical_scope": "Kenya",
    }
    handle = await runs.start(definition_id="idea", user_id="ann")
    await runs.answer(handle, q1="there", q2=None, startup=KEEP)
    planned = await runs.asked(handle, "checkpoint")
    assert not planned.startup
    assert planned.pending[0].message == f"Approve this plan? {KEEPS}"
    await runs.decide(handle, "approve")
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
    assert told(runs, "info") == [
        f"saved as startup ‘{kept.name}’ ({kept.id}), which later runs can be about"
    ]


async def test_saved_startup_is_offered_and_context_once_it_is_chosen(runs: Harness) -> None:
    first = await runs.start(definition_id="idea", user_id="ann")
    await runs.answer(first, startup=KEEP)
    await runs.decide(first, "approve")
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
    await runs.update(other, "cancel", {})


@pytest.mark.parametrize("said", [NO_ONE, None])
@pytest.mark.parametrize("start", [None, True], ids=["definition", "start"])
async def test_nothing_is_kept_unless_a_human_says_so(
    runs: Harness, said: str | None, start: bool | None
) -> None:
    handle = await runs.start(
        definition_id="idea" if start is None else "silent", save_startup=start
    )
    asked = await runs.asked(handle, "clarification")
    assert asked.pending[0].questions[-1].choices == [KEEP, NO_ONE]
    await runs.answer(handle, startup=said)
    assert KEEPS not in (await runs.asked(handle, "checkpoint")).pending[0].message
    await runs.decide(handle, "approve")
    assert await ended(handle) == "completed"
    assert not runs.fakes.saved


async def test_plan_that_no_question_preceded_says_what_approving_it_keeps(runs: Harness) -> None:
    handle = await runs.start(definition_id="plain")
    assert KEEPS in (await runs.asked(handle, "checkpoint")).pending[0].message
    await runs.update(handle, "cancel", {})
    silent = await runs.start(definition_id="plain", save_startup=False)
    assert KEEPS not in (await runs.asked(silent, "checkpoint")).pending[0].message
    await runs.update(silent, "cancel", {})


async def test_long_answers_are_truncated_in_the_startup(runs: Harness) -> None:
    handle = await runs.start(definition_id="idea")
    await runs.answer(handle, q1="x" * 3_000, startup=KEEP)
    await runs.decide(handle, "approve")
    await ended(handle)
    assert runs.fakes.saved[0].description == "Where to sell pumps?"


async def test_modified_plan_is_saved_as_modified(runs: Harness) -> None:
    handle = await runs.start(definition_id="plain")
    changes: Json = {"title": "Sun pumps", "search_terms": ["sun"]}
    await runs.decide(handle, "modify", modifications=changes)
    await ended(handle)
    [kept] = runs.fakes.saved
    assert (kept.name, kept.search_terms) == ("Sun pumps", ["sun"])


@pytest.mark.parametrize(
    ("definition_id", "said", "kept"),
    [
        ("plain", None, 1),
        ("plain", False, 0),
        ("plain", True, 1),
        ("silent", None, 0),
        ("silent", False, 0),
        ("silent", True, 1),
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
    await runs.decide(handle, "approve")
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
    handle = await approved(runs)
    state = await runs.state(handle)
    assert state.startup is None
    assert state.warnings == ["the startup could not be saved: no"] == told(runs, "warning")


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
    handle = await approved(runs, config_overrides=overrides)
    [kept] = runs.fakes.saved
    assert (await runs.state(handle)).startup == kept
    assert not told(runs, "warning")
