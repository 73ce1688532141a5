"""Every preset through the gateway: to its end, rejected, and left to its deadlines."""

import asyncio
from typing import Any, Literal

import pytest

from contracts.base import Json
from contracts.definitions import Definition
from contracts.human.checkpoints import Checkpoint
from contracts.phases import Phase
from contracts.preset_definitions import PRESETS
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from tests.support.offline_services import eventually
from tests.support.stack import Run, Undisturbed, Whole
from tests.workflows.support.listed_company import required_of
from workflows.checkpoints.decision_checks import list_offered_choices
from workflows.phases import PHASES

Ending = Literal["approve", "reject", "timeout"]
SLOW = 60

FIRST_OF_A_TEAM = "part-1-"
"""Before the calls of the first of several agents that research a plan's independent steps."""


@pytest.mark.full
@pytest.mark.parametrize("ending", ["approve", "reject", "timeout"])
async def test_every_preset_ends_as_its_human_says(
    whole: Whole, undisturbed: Undisturbed, market: Undisturbed, ending: Ending
) -> None:
    approved = {run.state.definition_id: run.run.id for run in (undisturbed, market)}
    seen = approved if ending == "approve" else {}
    presets = [preset for preset in PRESETS.values() if not preset.asks_report]
    await asyncio.gather(*(ends(whole, p, ending, seen.get(p.id)) for p in presets))


async def ends(whole: Whole, preset: Definition, ending: Ending, seen: str | None) -> None:
    """Check how a run of a preset ends: one that was seen to its end before, else a new one."""
    waits = {p.id: {"config": {"wait_seconds": 0.5}} for p in preset.phases if waiting(p)}
    overrides: dict[str, Any] = {"config_overrides": waits} if ending == "timeout" else {}
    overrides["inputs"] = required_of(preset)
    run = whole.run(seen) if seen else await whole.start(definition=preset.id, **overrides)
    state = await driven(run, ending)
    decides = any(phase.kind == "hitl_checkpoint" for phase in preset.phases)
    ended = "completed" if ending == "approve" or not decides else "rejected"
    short = any(
        phase.status == "partial" for phase in state.phases
    )  # nobody answered its questions
    expected = "partial" if short and not decides else ended
    told = [(p.id, p.status, p.error) for p in state.phases]
    assert state.status == expected, (preset.id, told)
    await run.events()  # each is as published
    calls = [(call["phase_id"], call["name"]) for call in await whole.ledger(run)]
    if ended == "completed":
        demanded = {(p.id, n) for p in preset.phases for n in names(p, state)}
        made = {(phase, name.removeprefix(FIRST_OF_A_TEAM)) for phase, name in calls}
        assert demanded <= made, (preset.id, demanded - made)
    else:
        assert not await whole.ledger(run, "tool"), f"{preset.id} went to the web"
    assert len(calls) == len(set(calls))
    assert {phase for phase, _ in calls} <= {p.id for p in preset.phases if agents(p)}


def waiting(phase: Phase) -> bool:
    return "wait_seconds" in type(phase.config).model_fields


def agents(phase: Phase) -> tuple[str, ...]:
    return PHASES[phase.kind].agents(phase)


async def driven(run: Run, ending: Ending, seconds: float = SLOW) -> StateView:
    """Say the same at every checkpoint until the run has ended."""
    said: set[str] = set()

    async def over() -> StateView | None:
        state = await run.state()
        for checkpoint in state.pending:
            if checkpoint.checkpoint_id not in said and ending != "timeout":
                said.add(checkpoint.checkpoint_id)
                await tell(run, checkpoint, ending)
        return state if state.status in ENDED else None

    return await eventually(over, seconds)  # type: ignore[no-any-return]


async def tell(run: Run, checkpoint: Checkpoint, action: str) -> None:
    body: Json = {"action": action, "plan_hash": checkpoint.plan_hash}
    if action == "approve" and list_offered_choices(checkpoint):
        body["choice"] = list_offered_choices(checkpoint)[0]
    path = "/decision"
    if checkpoint.kind == "questions":
        answers: Json = {q.id: q.choices[0] if q.required else None for q in checkpoint.questions}
        path, body = "/answers", {"answers": answers}
    said = await run.post(path, {**body, "checkpoint_id": checkpoint.checkpoint_id})
    assert said.status_code == 202, said.text


def names(phase: Phase, state: StateView) -> list[str]:
    """Return the model calls that a phase's config requires for any answers."""
    match phase.kind:
        case "clarification":
            return ["questions-1"]
        case "planning":
            return ["draft"]
        case "control":
            count = len(state.plan.steps) if state.plan else 0
            steps = [f"step-{n}-try-1" for n in range(1, count + 1)]
            return [f"{step}-turn-1" for step in steps]
        case "one_shot":
            return ["task-try-1-turn-1", "task-try-1-review"]
        case "idea_generation":
            # The stand-in never revises, so the last review equals the first one, which is paid
            # once.
            return ["ideas", "review-1", "revision-1"]
        case "research":
            return ["turn-1"]
        case "synthesis":
            call = "turn-1" if phase.config.living else "report"
            return [] if phase.config.form == "answer" else [call]  # which the research has written
        case "analysis" | "decision":
            return [phase.kind]  # a summary repeats what a report opens with, without a call
        case "crew":
            return [f"{task.id}-turn-1" for task in phase.config.tasks]
        case _:
            return []
