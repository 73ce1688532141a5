"""Recorded histories replay on the code as it is, in Temporal's sandbox and as the workers run."""

from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer, WorkflowRunner

import worker
from tests import sandbox
from tests.replay.record import HISTORIES, SCENARIOS
from workflows.message_parser import SafeMessages

FILES = sorted(HISTORIES.glob("*.json"))
RUNNERS = {"sandboxed": sandbox.workflow_runner(), "as-workers-do": worker.WORKFLOW_RUNNER}


@pytest.mark.parametrize("runner", RUNNERS.values(), ids=RUNNERS.keys())
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_recorded_history_replays(path: Path, runner: WorkflowRunner) -> None:
    replayer = Replayer(
        workflows=worker.WORKFLOWS,
        workflow_runner=runner,
        data_converter=pydantic_data_converter,
        interceptors=[SafeMessages()],
        debug_mode=True,  # a busy machine is no deadlock
    )
    text = path.read_text(encoding="utf-8")  # noqa: ASYNC240 - nothing else runs
    history = WorkflowHistory.from_json("run-golden", text)
    result = await replayer.replay_workflow(history, raise_on_replay_failure=False)
    assert result.replay_failure is None, (
        f"{path.stem} no longer replays: {result.replay_failure}\n"
        "The workflow now issues other commands than were recorded (docs/decisions/0009): "
        "`python3 -m greenlight record-history` if that is meant."
    )


def test_every_scenario_has_its_history() -> None:
    assert {path.stem for path in FILES} == {scenario.__name__ for scenario in SCENARIOS}
