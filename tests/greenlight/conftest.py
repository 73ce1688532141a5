"""A stack of one's own, started the way a person does it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent


@dataclass
class Command:
    """`python -m greenlight` with a home of its own, away from any `.env`."""

    home: Path
    settings: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
        told = {"GREENLIGHT_HOME": str(self.home), "PYTHONPATH": str(ROOT), **self.settings}
        self.home.parent.mkdir(parents=True, exist_ok=True)
        return subprocess.Popen(
            [sys.executable, "-m", "greenlight", *arguments],
            cwd=self.home.parent,
            env=os.environ | told,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )

    def run(self, *arguments: str, seconds: float = 60) -> tuple[int, str, str]:
        process = self.start(*arguments)
        output, complaints = process.communicate(timeout=seconds)
        return process.returncode, output, complaints


@dataclass
class Up:
    """A stack that is ready."""

    command: Command
    process: subprocess.Popen[str]
    printed: dict[str, Any]
    """What it printed when it was ready, without secrets."""
    addresses: dict[str, Any]

    @classmethod
    def start(cls, command: Command) -> "Up":
        process = command.start("up", "--json", "--pace", "0")
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        return cls(command, process, json.loads(line), _read_note(command))

    @property
    def lives(self) -> bool:
        return self.process.poll() is None

    def note(self) -> dict[str, Any]:
        return _read_note(self.command)

    def stop(self, signum: int = signal.SIGTERM) -> tuple[int, str]:
        """Return the exit code, and what else stood on stdout."""
        self.process.send_signal(signum)
        rest, _ = self.process.communicate(timeout=30)
        return self.process.returncode, rest


def _read_note(command: Command) -> dict[str, Any]:
    noted: dict[str, Any] = json.loads((command.home / "stack.json").read_text("utf-8"))
    return noted


@pytest.fixture(scope="session")
def _stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    deep = "a-path-longer-than-a-socket-may-have/" * 4
    up = Up.start(Command(tmp_path_factory.mktemp("stack") / deep / "home"))
    yield up
    if up.lives:
        up.stop()


@pytest.fixture
def up(_stack: Up) -> Up:
    """A stack that is ready: the one of the test before, unless that ended it."""
    if not _stack.lives:
        again = Up.start(_stack.command)
        _stack.process, _stack.printed = again.process, again.printed
        _stack.addresses = again.addresses
    return _stack
