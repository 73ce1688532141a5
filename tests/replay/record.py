"""Records the golden histories again: `python3 -m greenlight record-history`."""

import asyncio
import os
import re
import sys
import sysconfig
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from contracts.models.call import Block
from tests.replay.releases import HISTORIES, RELEASES, find_version, is_released, pack
from tests.workflows.interpreter.test_phase_walk import BRANCHES
from tests.workflows.interpreter.test_step_cache_limits import FED
from tests.workflows.support.memory_step_cache import Remembering
from tests.workflows.support.model_answers import QUOTED
from tests.workflows.support.phase_harness import DONE
from tests.workflows.support.run_harness import Handle, Harness, with_crews
from workflows.phases.clarification import GO_ON


async def completed(runs: Harness) -> Handle:
    """Every phase, a startup, five pages."""
    runs.fakes.turn_size = 5
    handle = await runs.start(user_id="ann")
    await runs.complete(handle)
    return handle


async def revised_and_modified(runs: Harness) -> Handle:
    """Two plans, then a change by the human's own hand."""
    handle = await runs.start()
    await runs.answer(handle, q1="here", q2=None)
    await runs.decide(handle, "revise", feedback="cheaper")
    await runs.until(handle, lambda s: s.phases[3].attempt == 2)
    await runs.decide(handle, "modify", modifications={"search_terms": ["boats"]})
    await handle.result()
    return handle


async def branches_paused_steered_failed(runs: Harness) -> Handle:
    """Two branches; one gets no judgement and asks a human, the other is paused and steered."""

    def refuse(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.phase_id == "clarification":
            raise ApplicationError("no", type="model-rejected", non_retryable=True)

    runs.fakes.before = refuse
    handle = await runs.start(definition_id="branches")
    await runs.asked(handle, "checkpoint")
    await runs.update(handle, "set_paused", {"paused": True})
    await runs.update(handle, "steer", {"text": "mind the price"})
    await handle.signal("decide", 7)
    await runs.update(handle, "set_paused", {"paused": False})
    await runs.answer(handle, request=GO_ON)
    await runs.decide(handle, "approve")
    await handle.result()
    return handle


async def rejected_by_its_deadline(runs: Harness) -> Handle:
    """Nobody answers, nobody decides."""
    waits = {"wait_seconds": 0.3}
    overrides = {name: {"config": waits} for name in ("clarification", "checkpoint")}
    handle = await runs.start(config_overrides=overrides)
    await handle.result()
    return handle


async def cancelled_while_waiting(runs: Harness) -> Handle:
    """A signal ends the run at its checkpoint."""
    handle = await runs.start()
    await runs.answer(handle)
    await runs.asked(handle, "checkpoint")
    await handle.signal("cancel", {"mode": "now"})
    await handle.result()
    return handle


async def crew_that_keeps_a_startup(runs: Harness) -> Handle:
    """Four agents, one of whom ends early; the approved plan is kept as a startup."""
    del runs.fakes.outputs["competition"]
    handle = await runs.start(definition_id="market_analysis", user_id="bob")
    await runs.answer(handle)
    await runs.decide(handle, "approve", keep_startup=True)
    await handle.result()
    return handle


async def living_report_undone(runs: Harness) -> Handle:
    """A report that grows: a page written down, one patch taken back, a last pass."""
    held = runs.fakes.hold("turn-3")
    handle = await runs.start()
    await runs.answer(handle)
    await runs.decide(handle, "approve")
    grown = "update_report"
    await runs.until(handle, lambda _: any(grown in str(e.payload) for e in runs.fakes.events))
    await runs.update(handle, "undo", {"patch": 1, "by": "ann"})
    held.set()
    await handle.result()
    return handle


async def updates_of_one_turn(runs: Harness) -> Handle:
    """Three updates of one turn."""
    texts = ("One.", "Two.", "Three.")
    runs.fakes.making = [
        Block(
            type="tool_use",
            id=t,
            name="update_report",
            input={"section": "Market", "add": [{**QUOTED, "text": t}]},
        )
        for t in texts
    ]
    handle = await runs.start()
    await runs.complete(handle)
    return handle


async def asked_afresh(runs: Harness) -> Handle:
    """A fresh question."""
    runs.fakes.answers["Questions"] = {"missing": [], "questions": []}
    handle = await runs.start(definition_id="web_answer", fresh=True)
    await handle.result()
    return handle


async def taken_over(runs: Harness) -> Handle:
    """Run twice with the same inputs; the second run makes no calls."""
    assert isinstance(runs.fakes, Remembering)
    runs.fakes.hours = 24
    runs.fakes.definitions["fed"] = FED
    alike: dict[str, Any] = {"definition_id": "fed", "given": {"planning": DONE["planning"]}}
    await (await runs.start(**alike)).result()
    handle = await runs.start(**alike)
    await handle.result()
    assert len(runs.fakes.requests) == 1
    return handle


SCENARIOS: tuple[Callable[[Harness], Awaitable[Handle]], ...] = (
    completed,
    revised_and_modified,
    branches_paused_steered_failed,
    rejected_by_its_deadline,
    cancelled_while_waiting,
    crew_that_keeps_a_startup,
    living_report_undone,
    updates_of_one_turn,
    asked_afresh,
    taken_over,
)


def _anywhere(history: str) -> str:
    """Return a history without stack traces: they name the machine it was recorded on."""
    return re.sub(r'"stackTrace": "(?:[^"\\]|\\.)*"', '"stackTrace": ""', history)


async def main() -> None:
    """Run every scenario and keep its history, also as one of the version that is worked on."""
    version = find_version()
    if is_released(version):
        sys.exit(
            f"{version} is released, and its histories stay: raise the version in pyproject.toml first."
        )
    program = Path(sysconfig.get_path("scripts")) / "temporal"
    async with await WorkflowEnvironment.start_local(dev_server_existing_path=str(program)) as env:
        for scenario in SCENARIOS:
            path = HISTORIES / f"{scenario.__name__}.json"
            async with with_crews(env.client, Remembering(BRANCHES)) as runs:
                handle = await scenario(runs)
                history = await handle.fetch_history()
                path.write_text(_anywhere(history.to_json()) + "\n", encoding="utf-8")
    pack(HISTORIES, RELEASES, version)


if __name__ == "__main__":
    asyncio.run(main())
    os._exit(0)  # a process with a Temporal client may abort in interpreter shutdown
