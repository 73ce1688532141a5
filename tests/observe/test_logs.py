"""The logs of a traced run's processes: JSON with run, step and trace, but without content."""

import json
from pathlib import Path
from typing import Any

import pytest

from greenlight.stack.home import Home
from tests.chaos.fragile_stack import FragileStack
from tests.observe.conftest import SECRET, Traced
from tests.observe.test_traces import START
from tests.support.stack import QUESTION


def read_log(watched: FragileStack, process: str) -> list[dict[str, Any]]:
    """Return a process's log lines; a line that is not JSON fails the test."""
    log = Home(Path(watched.addresses.home)).log(process)
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("process", ["gateway", "worker"])
def test_every_line_is_json_with_its_time(
    traced: Traced, watched: FragileStack, process: str
) -> None:
    lines = read_log(watched, process)
    assert lines
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)


def test_failed_call_is_logged_with_its_run_step_and_trace(
    traced: Traced, watched: FragileStack
) -> None:
    [root] = traced.named(START)
    lines = read_log(watched, "worker")
    failed = [line for line in lines if "model-busy" in line["message"]]
    steps = {line["step_id"].partition("/")[0] for line in failed}
    assert len(failed) == 2
    assert len(steps) == 2
    assert "clarification" in steps
    assert {line["run_id"] for line in failed} == {traced.run.id}
    assert {line["trace_id"] for line in failed} == {root.trace}


@pytest.mark.parametrize("process", ["gateway", "worker"])
def test_no_secret_and_no_question_is_logged(
    traced: Traced, watched: FragileStack, process: str
) -> None:
    told = "".join(map(str, read_log(watched, process))).casefold()
    key = (Path(watched.addresses.home) / "signing.key").read_text().strip()
    words = [word.casefold() for word in QUESTION.split() if len(word) > 5]
    assert not [text for text in (SECRET, key, *words) if text in told]
