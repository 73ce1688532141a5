"""Logs of the gateway and the workers: time, level, run and message, as JSON outside a terminal."""

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

from temporalio import activity, workflow

current_run: ContextVar[str] = ContextVar("current_run", default="")
"""The run that a request to the gateway is about."""
READY = "ready"
"""The message of a process that can be used from now on; a stack waits for it."""
_TALKATIVE = ("greenlight", "uvicorn")
"""Loggers whose information is logged, too; of the others only warnings and errors are."""


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; `run_id` and `error`, a traceback, only where there are any."""
        fields = {
            "time": _format_time(record),
            "level": record.levelname,
            "run_id": find_run_id(),
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


def configure_logs(stream: TextIO = sys.stderr) -> None:
    """Log to a stream; the libraries' own handlers are replaced."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(TextFormatter() if stream.isatty() else JsonFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.INFO)


def find_run_id() -> str:
    """Return the run that is being worked on here; empty outside of any."""
    if activity.in_activity():
        return activity.info().workflow_id or ""
    return workflow.info().workflow_id if workflow.in_workflow() else current_run.get()


def _format_time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
