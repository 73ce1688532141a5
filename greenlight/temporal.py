"""Temporal's dev server on this machine, tuned, and what its command line can tell about it."""

import asyncio
import json
import os
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from greenlight.processes import Child

SEARCH_ATTRIBUTES = {"RunStatus": "Keyword", "RunDefinition": "Keyword"}

DEV_SERVER_FLAGS = (
    # The defaults pace the server's own queues: most of a short step's time would be waiting.
    *("--dynamic-config-value", "history.transferProcessorMaxPollRPS=2000"),
    *("--dynamic-config-value", "history.transferProcessorMaxPollHostRPS=5000"),
    *(f"--search-attribute={name}={kind}" for name, kind in SEARCH_ATTRIBUTES.items()),
)
# In WAL a kill loses nothing; `normal` can lose the last moments before a power cut.
SQLITE_FLAGS = ("--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal")


def dev_server(database: Path, port: int, ui_port: int, log: Path) -> Child:
    """Return the server, not yet started."""
    place = ("--ip", "127.0.0.1", "--port", str(port), "--ui-port", str(ui_port))
    file = ("--db-filename", str(database), "--log-level", "error", *SQLITE_FLAGS)
    argv = [program(), "server", "start-dev", *place, *file, *DEV_SERVER_FLAGS]
    return Child("temporal", argv, log)


def program() -> str:
    """Return the path of the wheel's `temporal`."""
    return str(Path(sysconfig.get_path("scripts")) / "temporal")


async def serves(environment: Mapping[str, str]) -> None:
    """Raise unless the server that the environment names is healthy."""
    await _ask(environment, "operator", "cluster", "health")


async def polled(environment: Mapping[str, str], task_queue: str) -> None:
    """Raise unless a worker asks for work on a task queue."""
    described = await _ask(environment, "task-queue", "describe", "--task-queue", task_queue)
    if not json.loads(described).get("pollers"):
        raise LookupError(f"nobody polls the task queue {task_queue!r}")


async def _ask(environment: Mapping[str, str], *command: str) -> bytes:
    asked = await asyncio.create_subprocess_exec(
        *(program(), *command, "--output", "json"),
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    answer, complaint = await asked.communicate()
    if asked.returncode:
        raise ConnectionError(complaint.decode(errors="replace").strip())
    return answer
