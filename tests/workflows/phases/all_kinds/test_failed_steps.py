"""A step whose attempts were all rejected: a human decides, if there is one."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.human.checkpoint_subjects import StepSubject
from contracts.human.checkpoints import Checkpoint
from contracts.models.call import Block, ModelRequest
from domain.report.subject_text import render_failure
from tests.support.words import en, opening, phrase
from tests.workflows.phases.test_control import ALONE, DONE, FULL, HITL, lacking, output, plan
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Handle, Harness, harness

TWICE: Json = {"max_n_attempts": 2}


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Fakes()) as made:
        plan(made, 2)
        reject(made, "step-2")
        yield made


def reject(runs: Harness, *steps: str, unless: str = "") -> None:
    """Make the reviewer reject the work at some steps, unless its prompt contains a word."""

    def review(request: ModelRequest) -> Json:
        told = request.model_dump_json(include={"messages"})
        is_rejected = request.scope.plan_step in steps and not (unless and unless in told)
        return lacking("no figures.") if is_rejected else DONE

    runs.fakes.answers["step_reviewer"] = review


async def fail(runs: Harness, definition: str = HITL, **config: Any) -> tuple[Handle, Checkpoint]:
    """Return a run whose second step was rejected twice, and the resulting checkpoint."""
    overrides = {"control": {"config": {**TWICE, **config}}}
    handle = await runs.start(definition_id=definition, config_overrides=overrides)
    await runs.decide(handle, "approve")
    if definition == FULL:
        await decide(runs, handle, "approve", at="after-1")
    state = await runs.until(handle, lambda s: find(s, "failed-2"))
    return handle, find(state, "failed-2")[0]


def find(state: Any, place: str) -> list[Checkpoint]:
    return [shown for shown in state.pending if place in shown.checkpoint_id]


async def decide(runs: Harness, handle: Handle, action: str, at: str, **more: Any) -> None:
    state = await runs.until(handle, lambda s: find(s, at))
    [shown] = find(state, at)
    body = {"action": action, "plan_hash": shown.plan_hash, "checkpoint_id": shown.checkpoint_id}
    await runs.update(handle, "decide", {**body, **more})


@pytest.mark.parametrize("definition", [HITL, pytest.param(FULL, marks=pytest.mark.full)])
async def test_a_human_may_accept_a_step_that_its_reviewer_rejected(
    runs: Harness, definition: str
) -> None:
    table: Json = {"title": "Prices", "columns": ["Pump", "Price"], "rows": [["A", "dear"]]}
    plan(runs, 2)
    second = runs.fakes.answers["PlanDraft"]["steps"][1]
    second["agent_role"] = "engineer"

    def make_table(kind: str, request: Any) -> None:
        if kind == "model" and request.role == "engineer":
            runs.fakes.making = [Block(type="tool_use", id="t", name="table", input=table)]

    runs.fakes.before = make_table
    handle, shown = await fail(runs, definition)
    assert shown.options == ["approve", "reject", "modify", "revise"]
    assert shown.done_steps == [1], "the rejected one is not done"
    assert shown.message == en(
        "ask-step-rejected", number=2, name="Part 2", tries=2, reasons="no figures"
    )
    assert isinstance(shown.subject, StepSubject)
    assert shown.subject.step_failure == "rejected"
    assert "Pumps sell well." in shown.subject.text
    await decide(runs, handle, "approve", at="failed-2")
    assert (await handle.result()).status == "completed"
    first, second = output(runs)["steps"]
    assert (first["objections"], second["objections"]) == ([], ["no figures."])
    assert (second["attempts"], second["failures"]) == (2, [["no figures."]])
    assert second["summary"].startswith("Pumps sell well.")
    assert [made["name"] for made in output(runs)["artifacts"]] == ["Prices"]
    [control] = [p for p in (await runs.state(handle)).phases if p.id == "control"]
    assert any(f"{phrase('step-accepted')} no figures" in warning for warning in control.warnings)


async def test_a_rejected_step_is_done_again_in_a_humans_words(runs: Harness) -> None:
    reject(runs, "step-2", unless="count the pumps")
    handle, _ = await fail(runs)
    await decide(runs, handle, "revise", at="failed-2", feedback="count the pumps")
    assert (await handle.result()).status == "completed"
    tried = [r.scope.plan_step for r in runs.fakes.of("researcher")]
    assert tried == ["step-1", *["step-2"] * 3]
    assert runs.fakes.told("researcher", "feedback") == ["", "", "", "count the pumps"]
    told = runs.fakes.told("researcher", "failures")
    assert [text.count("no figures.") for text in told] == [0, 0, 1, 2]
    assert [step["attempts"] for step in output(runs)["steps"]] == [1, 3]
    assert [len(step["failures"]) for step in output(runs)["steps"]] == [0, 2]
    assert len(runs.fakes.calls) == len(set(runs.fakes.calls)), "each call has a name of its own"


async def test_a_human_is_asked_again_where_the_reviewer_still_objects(runs: Harness) -> None:
    handle, first = await fail(runs)
    assert first.message == en(
        "ask-step-rejected", number=2, name="Part 2", tries=2, reasons="no figures"
    )
    await decide(runs, handle, "revise", at="failed-2-2", feedback="try harder")
    state = await runs.until(handle, lambda s: find(s, "failed-2-4"))
    [second] = find(state, "failed-2-4")
    assert second.message == en(
        "ask-step-rejected", number=2, name="Part 2", tries=4, reasons="no figures"
    )
    await decide(runs, handle, "approve", at="failed-2-4")
    assert (await handle.result()).status == "completed"
    assert first.checkpoint_id.endswith("failed-2-2")


async def test_a_changed_step_is_done_with_the_objections_to_the_attempts_before(
    runs: Harness,
) -> None:
    reject(runs, "step-2", unless="Ask sellers")
    handle, _ = await fail(runs)
    steps: Any = [{"name": "Part 1"}, {"name": "Ask sellers"}]
    await decide(runs, handle, "modify", at="failed-2", modifications={"steps": steps})
    assert (await handle.result()).status == "completed"
    assert [step["name"] for step in output(runs)["steps"]] == ["Part 1", "Ask sellers"]
    told = runs.fakes.told("researcher", "failures")
    assert [text.count("no figures.") for text in told] == [0, 0, 1, 2]
    versions = runs.fakes.told("researcher", "earlier_version")
    assert "Pumps sell well." in versions[-1], "what the last attempt gave is known, too"
    [_, second] = output(runs)["steps"]
    assert (second["attempts"], second["failures"]) == (3, [["no figures."]] * 2)


async def test_a_human_may_stop_and_keeps_what_is_done(runs: Harness) -> None:
    handle, _ = await fail(runs)
    await decide(runs, handle, "reject", at="failed-2")
    assert (await handle.result()).status == "rejected"
    assert [step["name"] for step in output(runs)["steps"]] == ["Part 1"]


async def test_a_deadline_accepts_no_rejected_step(runs: Harness) -> None:
    handle, _ = await fail(runs, wait_seconds=0.5, default_on_timeout="approve")
    assert (await handle.result()).status == "rejected"
    assert [step["name"] for step in output(runs)["steps"]] == ["Part 1"]


async def test_a_step_without_any_work_cannot_be_accepted(runs: Harness) -> None:
    runs.fakes.answers["StepDraft"] = None
    reject(runs, "step-1")
    overrides = {"control": {"config": TWICE}}
    handle = await runs.start(definition_id=HITL, config_overrides=overrides)
    await runs.decide(handle, "approve")
    state = await runs.until(handle, lambda s: find(s, "failed-1"))
    assert find(state, "failed-1")[0].options == ["reject", "modify", "revise"]
    await handle.terminate()


@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.full)])
async def test_a_step_that_no_model_does_is_put_to_a_human(runs: Harness, number: int) -> None:
    def refuse(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.plan_step == f"step-{number}":
            raise ApplicationError("it declined", type="model-refused", non_retryable=True)

    reject(runs)
    runs.fakes.before = refuse
    handle = await runs.start(definition_id=HITL, config_overrides={"control": {"config": TWICE}})
    await runs.decide(handle, "approve")
    state = await runs.until(handle, lambda s: find(s, f"failed-{number}"))
    [shown] = find(state, f"failed-{number}")
    assert shown.options == ["reject", "modify", "revise"]
    assert (
        opening(
            "ask-step-unanswered",
            "reasons",
            number=number,
            name=f"Part {number}",
            tries=2,
            reasons="it declined",
        )
        in shown.message
    )
    assert isinstance(shown.subject, StepSubject)
    assert (shown.subject.step_failure, shown.subject.text) == ("unanswered", "")
    runs.fakes.before = lambda kind, request: None
    await decide(runs, handle, "revise", at=f"failed-{number}", feedback="Do it without the web.")
    assert (await handle.result()).status == "completed"
    assert [step["attempts"] for step in output(runs)["steps"]][number - 1] == 3


async def test_work_of_an_earlier_attempt_may_be_accepted_where_the_last_one_gave_none(
    runs: Harness,
) -> None:
    def refuse(kind: str, request: Any) -> None:
        if kind == "model" and "step-2-try-2" in request.scope.name:
            raise ApplicationError("it declined", type="model-refused", non_retryable=True)

    runs.fakes.before = refuse
    reject(runs, "step-2")
    _, shown = await fail(runs)
    assert shown.options == ["approve", "reject", "modify", "revise"]
    assert isinstance(shown.subject, StepSubject)
    assert shown.subject.step_failure == "unanswered"
    assert shown.subject.step
    assert (shown.subject.step.failures, shown.subject.step.objections) == (
        [["no figures."]],
        ["it declined"],
    )
    told = render_failure(shown.subject)
    assert told.splitlines()[2:] == ["1. no figures", "2. it declined"]


@pytest.mark.parametrize(
    ("definition", "config"),
    [(ALONE, {}), pytest.param(HITL, {"on_step_failure": "fail"}, marks=pytest.mark.full)],
)
async def test_a_step_fails_where_nobody_is_to_be_asked(
    runs: Harness, definition: str, config: Json
) -> None:
    overrides = {"control": {"config": {**TWICE, **config}}}
    handle = await runs.start(definition_id=definition, config_overrides=overrides)
    if definition == HITL:
        await runs.decide(handle, "approve")
    assert (await handle.result()).status == "failed"
