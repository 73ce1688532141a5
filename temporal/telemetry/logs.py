"""Logs of the gateway and the workers: time, level, run, step, trace and message, as JSON outside a terminal."""

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal, TextIO

from opentelemetry import trace
from temporalio import activity, workflow

current_run: ContextVar[str] = ContextVar("current_run", default="")
"""The run that a request to the gateway is about."""
current_step: ContextVar[str] = ContextVar("current_step", default="")
"""The phase, or `phase/plan step`, that an activity works for."""
LogFormat = Literal["auto", "json", "text"]
READY = "ready"
"""The message of a process that can be used from now on; a stack waits for it."""
_TALKATIVE = ("greenlight", "uvicorn")
"""Loggers that log at INFO; all others log at WARNING."""


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line of JSON, without empty fields; `error` is a traceback."""
        fields = {
            "time": _format_time(record),
            "level": record.levelname,
            "run_id": find_run_id(),
            "step_id": current_step.get(),
            "trace_id": find_trace_id(),
            "logger": record.name,
            "message": record.getMessage(),
            "error": self.formatException(record.exc_info) if record.exc_info else "",
        }
        return json.dumps({k: v for k, v in fields.items() if v or k == "message"})


class TextFormatter(logging.Formatter):
    """Formats a record for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with a traceback below it if there is one."""
        run_id = find_run_id()
        return " ".join(
            filter(None, [_format_time(record), record.levelname, run_id, super().format(record)])
        )


def configure_logs(log_format: LogFormat, stream: TextIO = sys.stderr) -> None:
    """Log to a stream: text if it is a terminal, else JSON, unless `log_format` says which.

    Replaces libraries' handlers.
    """
    handler = logging.StreamHandler(stream)
    is_text = stream.isatty() if log_format == "auto" else log_format == "text"
    handler.setFormatter(TextFormatter() if is_text else JsonFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.INFO)


def find_run_id() -> str:
    """Return the run that is being worked on here; empty outside of any."""
    if activity.in_activity():
        return activity.info().workflow_id or ""
    return workflow.info().workflow_id if workflow.in_workflow() else current_run.get()


def find_trace_id() -> str:
    """Return the trace of the current span as 32 hexadecimal digits; empty outside of any."""
    context = trace.get_current_span().get_span_context()
    return trace.format_trace_id(context.trace_id) if context.is_valid else ""


def _format_time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
