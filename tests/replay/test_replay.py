"""Recorded histories replay on the current code, in Temporal's sandbox and with the workers' runner."""

import json
import shutil
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer, WorkflowRunner

import worker
from contracts.words import CATALOGUES
from tests.replay.record import SCENARIOS
from tests.replay.releases import (
    HISTORIES,
    RELEASES,
    find_version,
    is_released,
    pack,
    place_of,
    read_digests,
    unpack,
)
from tests.support.reword import reword
from tests.support.temporal import sandbox
from workflows.message_parser import SafeMessages

RECORDED = {path.stem: path.read_text("utf-8") for path in sorted(HISTORIES.glob("*.json"))}
RUNNERS = [
    pytest.param(sandbox.workflow_runner(), id="sandboxed"),
    # A release's histories, the same until it is out, are replayed so by default.
    pytest.param(worker.WORKFLOW_RUNNER, id="as-workers-do", marks=pytest.mark.full),
]


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("name", RECORDED)
async def test_recorded_history_replays(name: str, runner: WorkflowRunner) -> None:
    failure = await _replay(RECORDED[name], runner)
    assert failure is None, (
        f"{name} no longer replays: {failure}\n"
        "The workflow now issues other commands than were recorded (docs/decisions/0009): "
        "`python3 -m greenlight record-history` if that is meant."
    )


@pytest.mark.parametrize("version", sorted(read_digests(RELEASES)))
async def test_every_history_of_a_release_replays(version: str) -> None:
    histories = unpack(RELEASES, version)
    failures = {
        name: await _replay(each, worker.WORKFLOW_RUNNER) for name, each in histories.items()
    }
    assert dict.fromkeys(histories) == failures, (
        f"A run that {version} began cannot be finished: put the change behind `workflow.patched` "
        "(docs/decisions/0009). Before that version is released: `python3 -m greenlight record-history`."
    )


def test_histories_are_those_of_the_version_that_is_worked_on() -> None:
    now = {name: json.loads(each) for name, each in RECORDED.items()}
    kept = unpack(RELEASES, find_version())
    assert {name: json.loads(each) for name, each in kept.items()} == now


def test_every_release_has_its_histories() -> None:
    kept = {path.name for path in RELEASES.glob("*.xz")}
    assert kept == {place_of(RELEASES, version).name for version in read_digests(RELEASES)}
    assert find_version() in read_digests(RELEASES)


def test_changed_histories_of_a_release_are_refused(tmp_path: Path) -> None:
    shutil.copytree(RELEASES, tmp_path, dirs_exist_ok=True)
    version = find_version()
    pack(HISTORIES.parent / "none", tmp_path / "other", version)
    shutil.copy(place_of(tmp_path / "other", version), place_of(tmp_path, version))
    with pytest.raises(ValueError, match="those of a release stay"):
        unpack(tmp_path, version)


@pytest.mark.parametrize(
    ("heading", "released"), [("## 1.2.3 - unreleased", False), ("## 1.2.3 - 2026-12-01", True)]
)
def test_version_is_released_once_the_changelog_dates_it(
    tmp_path: Path, heading: str, released: bool
) -> None:
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n", encoding="utf-8")
    assert is_released("1.2.3", tmp_path) is released


@pytest.mark.parametrize("name", RECORDED)
async def test_recorded_history_replays_in_other_words(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in CATALOGUES.values():
        for code, text in words.items():
            monkeypatch.setitem(words, code, reword(text))
    failure = await _replay(RECORDED[name], worker.WORKFLOW_RUNNER)
    assert failure is None, (
        f"{name} no longer replays with another catalogue: {failure}\n"
        "Words of the product entered what a run decides by; they have to be a notice there."
    )


async def _replay(text: str, runner: WorkflowRunner) -> Exception | None:
    """Return why a history does not replay."""
    replayer = Replayer(
        workflows=worker.WORKFLOWS,
        workflow_runner=runner,
        data_converter=pydantic_data_converter,
        interceptors=[SafeMessages()],
        debug_mode=True,  # load on the machine must not count as a deadlock
    )
    history = WorkflowHistory.from_json("run-golden", text)
    return (await replayer.replay_workflow(history, raise_on_replay_failure=False)).replay_failure


def test_every_scenario_has_its_history() -> None:
    assert set(RECORDED) == {scenario.__name__ for scenario in SCENARIOS}
