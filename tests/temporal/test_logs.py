"""Logs: one line of JSON an event, or text on a terminal, with the run, step and trace that it is about."""

import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from opentelemetry import trace
from temporalio import activity
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.testing import ActivityEnvironment
from temporalio.worker import Worker

from activities.heartbeat_interceptor import ActivityInterceptor
from contracts.base import Contract
from contracts.models.call import Scope
from temporal.telemetry.logs import LogFormat, configure_logs, current_run


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
    configure_logs("auto", stream)
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
    configure_logs("auto", stream)

    @activity.defn
    async def act() -> None:
        logging.getLogger("activities").warning("slow")

    environment = ActivityEnvironment()
    await environment.run(act)
    assert json.loads(stream.getvalue())["run_id"] == environment.info.workflow_id


def test_a_terminal_gets_text() -> None:
    stream = Terminal()
    configure_logs("auto", stream)
    logging.getLogger("store").warning("gone")
    time, level, message = stream.getvalue().split()
    assert datetime.fromisoformat(time) < datetime.now(UTC)
    assert (level, message) == ("WARNING", "gone")


@pytest.mark.parametrize(("log_format", "stream"), [("json", Terminal()), ("text", io.StringIO())])
def test_format_is_as_set_wherever_the_log_goes(log_format: LogFormat, stream: io.StringIO) -> None:
    configure_logs(log_format, stream)
    logging.getLogger("store").warning("gone")
    assert stream.getvalue().startswith("{") is (log_format == "json")


def test_line_has_the_trace_of_its_span() -> None:
    stream = io.StringIO()
    configure_logs("json", stream)
    span = trace.NonRecordingSpan(trace.SpanContext(0xAB, 1, is_remote=False))
    with trace.use_span(span):
        logging.getLogger("store").warning("gone")
    logging.getLogger("store").warning("back")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first["trace_id"] == f"{0xAB:032x}"
    assert "trace_id" not in second


class Asked(Contract):
    scope: Scope


@activity.defn
async def act_in_a_phase(asked: Asked) -> None:
    logging.getLogger("activities").warning("slow")


@pytest.mark.parametrize("plan_step", ["", "Ethiopia"])
async def test_activity_logs_its_phase_and_no_words_of_its_plan(
    temporal: Client, task_queue: str, plan_step: str
) -> None:
    stream = io.StringIO()
    configure_logs("json", stream)
    config = temporal.config()
    config["data_converter"] = pydantic_data_converter
    client = Client(**config)
    scope = Scope(run_id="r", phase_id="research", attempt=1, plan_step=plan_step, name="turn-1")
    async with Worker(
        client,
        task_queue=task_queue,
        activities=[act_in_a_phase],
        interceptors=[ActivityInterceptor()],
    ):
        await client.execute_activity(
            act_in_a_phase,
            Asked(scope=scope),
            id=task_queue,
            task_queue=task_queue,
            start_to_close_timeout=timedelta(seconds=5),
        )
    assert json.loads(stream.getvalue())["step_id"] == "research"
