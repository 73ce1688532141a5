"""Logs: one line of JSON an event, or text on a terminal, with the run that it is about."""

import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from temporalio import activity
from temporalio.testing import ActivityEnvironment

from temporal.logs import configure_logs, current_run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    before = [*root.handlers], root.level
    yield
    root.handlers, root.level = before


def test_a_file_gets_json_with_time_level_and_run() -> None:
    stream = io.StringIO()
    configure_logs(stream)
    current_run.set("run-1")
    logging.getLogger("store").warning("PostgreSQL is %s", "back")
    logging.getLogger("store").info("not shown")
    try:
        int("a line\nand another")
    except ValueError:
        logging.getLogger("api").exception("failed")
    current_run.set("")
    logging.getLogger("greenlight.gateway").info("started")
    first, failed, started = map(json.loads, stream.getvalue().splitlines())
    assert datetime.fromisoformat(first.pop("time")).utcoffset() == timedelta(0)
    assert first == {
        "level": "WARNING",
        "run_id": "run-1",
        "logger": "store",
        "message": "PostgreSQL is back",
    }
    assert "ValueError: invalid literal" in failed["error"]
    assert (started["level"], started.get("run_id")) == ("INFO", None)


async def test_an_activity_logs_its_run() -> None:
    stream = io.StringIO()
    configure_logs(stream)

    @activity.defn
    async def act() -> None:
        logging.getLogger("activities").warning("slow")

    environment = ActivityEnvironment()
    await environment.run(act)
    assert json.loads(stream.getvalue())["run_id"] == environment.info.workflow_id


def test_a_terminal_gets_text() -> None:
    stream = Terminal()
    configure_logs(stream)
    logging.getLogger("store").warning("gone")
    time, level, message = stream.getvalue().split()
    assert datetime.fromisoformat(time) < datetime.now(UTC)
    assert (level, message) == ("WARNING", "gone")
