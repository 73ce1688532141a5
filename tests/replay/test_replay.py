"""Recorded histories replay on the current code, in Temporal's sandbox and with the workers' runner."""

from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer, WorkflowRunner

import worker
from contracts.words import CATALOGUES
from tests.replay.record import HISTORIES, SCENARIOS
from tests.support.reword import reword
from tests.support.temporal import sandbox
from workflows.message_parser import SafeMessages

FILES = sorted(HISTORIES.glob("*.json"))
RUNNERS = {"sandboxed": sandbox.workflow_runner(), "as-workers-do": worker.WORKFLOW_RUNNER}


@pytest.mark.parametrize("runner", RUNNERS.values(), ids=RUNNERS.keys())
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_recorded_history_replays(path: Path, runner: WorkflowRunner) -> None:
    failure = await _replay(path, runner)
    assert failure is None, (
        f"{path.stem} no longer replays: {failure}\n"
        "The workflow now issues other commands than were recorded (docs/decisions/0009): "
        "`python3 -m greenlight record-history` if that is meant."
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_recorded_history_replays_in_other_words(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in CATALOGUES.values():
        for code, text in words.items():
            monkeypatch.setitem(words, code, reword(text))
    failure = await _replay(path, worker.WORKFLOW_RUNNER)
    assert failure is None, (
        f"{path.stem} no longer replays with another catalogue: {failure}\n"
        "Words of the product entered what a run decides by; they have to be a notice there."
    )


async def _replay(path: Path, runner: WorkflowRunner) -> Exception | None:
    """Return why a history does not replay."""
    replayer = Replayer(
        workflows=worker.WORKFLOWS,
        workflow_runner=runner,
        data_converter=pydantic_data_converter,
        interceptors=[SafeMessages()],
        debug_mode=True,  # load on the machine must not count as a deadlock
    )
    text = path.read_text(encoding="utf-8")  # noqa: ASYNC240 - nothing else runs
    history = WorkflowHistory.from_json("run-golden", text)
    return (await replayer.replay_workflow(history, raise_on_replay_failure=False)).replay_failure


def test_every_scenario_has_its_history() -> None:
    assert {path.stem for path in FILES} == {scenario.__name__ for scenario in SCENARIOS}
