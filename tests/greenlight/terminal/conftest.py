"""A scripted gateway with its own home folder, and the command line that talks to it."""

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from greenlight.cli import PROVIDER_KEYS, run_command
from greenlight.stack.home import Addresses, Home
from tests.greenlight.terminal.app_server import AppServer
from tests.greenlight.terminal.fake_gateway import FakeGateway
from tests.greenlight.terminal.pty_terminal import Terminal


@dataclass(frozen=True)
class CommandOutput:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class CommandLine:
    """Runs commands in this process, as if piped."""

    capture: pytest.CaptureFixture[str]

    def __call__(self, *words: str) -> CommandOutput:
        code = run_command(words)
        said = self.capture.readouterr()
        return CommandOutput(code, said.out, said.err)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home nobody uses yet."""
    monkeypatch.setenv("GREENLIGHT_HOME", str(tmp_path / "home"))
    for name in PROVIDER_KEYS:  # development commands take them from their process
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    return Home.from_environment()


@pytest.fixture
def gateway(home: Home) -> Iterator[FakeGateway]:
    """A gateway that a running stack's note leads to."""
    fake = FakeGateway()
    with AppServer(fake) as url, home.lock():
        home.publish(
            Addresses(
                gateway=url,
                temporal="",
                temporal_ui=None,
                database="",
                offline={"model": url, "search": url, "edgar": url},
                library=None,
                home=str(home.path),
                pids={},
            )
        )
        yield fake


@pytest.fixture
def type_in(home: Home, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line, with nobody at the keyboard."""
    return CommandLine(capsys)


@pytest.fixture
def terminal(gateway: FakeGateway) -> Iterator[type[Terminal]]:
    """Opens terminals, and closes them in the end."""
    opened: list[Terminal] = []

    class Opened(Terminal):
        def __init__(self, *words: str, columns: int = 100) -> None:
            super().__init__(*words, columns=columns)
            opened.append(self)

    yield Opened
    for one in opened:
        one.close()
