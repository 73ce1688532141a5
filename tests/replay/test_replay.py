"""Histories of earlier days replay on today's code, or runs that wait now would break."""

from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer

from tests.replay.record import HISTORIES, SCENARIOS
from tests.sandbox import workflow_runner
from worker import WORKFLOWS
from workflows.message_parsing import SafeMessages

FILES = sorted(HISTORIES.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_a_golden_history_replays(path: Path) -> None:
    replayer = Replayer(
        workflows=WORKFLOWS,
        workflow_runner=workflow_runner(),
        data_converter=pydantic_data_converter,
        interceptors=[SafeMessages()],
    )
    text = path.read_text(encoding="utf-8")  # noqa: ASYNC240 - nothing else runs
    history = WorkflowHistory.from_json("run-golden", text)
    result = await replayer.replay_workflow(history, raise_on_replay_failure=False)
    assert result.replay_failure is None, (
        f"{path.stem} no longer replays: {result.replay_failure}\n"
        "The workflow now issues other commands than the runs that are waiting for a human did. "
        "Gate the change with workflow.patched() (docs/decisions/0009)."
    )


def test_every_scenario_has_its_history() -> None:
    assert {path.stem for path in FILES} == {scenario.__name__ for scenario in SCENARIOS}
