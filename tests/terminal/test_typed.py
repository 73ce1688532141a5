"""Commands with a person at the keyboard: a real terminal, typed into key by key."""

import codecs
import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal.fake_gateway import PLAN, RUN, FakeGateway

ROOT = Path(__file__).parent.parent.parent
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x1b]*\x1b\\|\r")
CTRL_C = "\x03"
PATIENCE = 20.0


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.seen = ""
        self._read_up_to = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
            program = "from greenlight import cli; cli.main()"
            os.execv(sys.executable, [sys.executable, "-c", program, *words])

    def expect(self, text: str) -> None:
        """Read until the text appears, after all that was expected before."""
        deadline = time.monotonic() + PATIENCE
        while (at := self.seen.find(text, self._read_up_to)) < 0:
            assert time.monotonic() < deadline, f"no {text!r} in:\n{self.seen}"
            assert self._read(), f"ended without {text!r}:\n{self.seen}"
        self._read_up_to = at + len(text)

    def type(self, text: str, end: str = "\n") -> None:
        os.write(self._fd, (text + end).encode())

    def exit_code(self) -> int:
        """Read to the end."""
        while self._read():
            pass
        status = os.waitpid(self.pid, 0)[1]
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def _read(self) -> bool:
        if not select.select([self._fd], [], [], PATIENCE)[0]:
            return False
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # how Linux says that the other side is closed
            return False
        self.seen = STYLE.sub("", self.seen + self._decoder.decode(data))
        return bool(data)

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)


@pytest.fixture
def terminal(gateway: FakeGateway) -> Iterator[type[Terminal]]:
    """Opens terminals, and closes them in the end."""
    opened: list[Terminal] = []

    class Opened(Terminal):
        def __init__(self, *words: str) -> None:
            super().__init__(*words)
            opened.append(self)

    yield Opened
    for one in opened:
        one.close()


def test_a_whole_run_by_hand(gateway: FakeGateway, terminal: type[Terminal]) -> None:
    here = terminal("run", "Which?")
    here.expect("Who is the first customer?")
    here.expect("Smallholders and cooperatives buy differently.")
    here.type("2")
    here.expect("Which year do you enter?")
    here.type("")
    here.expect("at most $0.12 on claude-haiku")
    here.expect("start the work")
    here.type("x")
    here.expect("Type a or v or m or r or s.")
    here.type("a")
    here.expect("✓ Research")
    here.expect("Solar pumps")
    here.expect("1 unsupported")
    assert here.exit_code() == 0
    assert gateway.heard[0]["answers"] == {"q1": "cooperatives", "q2": None}
    assert gateway.heard[1]["plan_hash"] == PLAN.hash


def test_a_revised_plan_is_shown_with_what_changed(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway._draft()
    here = terminal("watch", RUN)
    here.expect("start the work")
    here.type("v")
    here.expect("What should change?")
    here.type("look at roads")
    here.expect("changed: focus")
    here.expect("start the work")
    here.type("reject")
    here.expect("Why?")
    here.type("no money")
    assert here.exit_code() == 4
    assert [(h["action"], h["feedback"]) for h in gateway.heard] == [
        ("revise", "look at roads"),
        ("reject", "no money"),
    ]


def test_fields_are_changed_by_hand(gateway: FakeGateway, terminal: type[Terminal]) -> None:
    gateway._draft()
    here = terminal("watch", RUN)
    here.expect("start the work")
    here.type("m")
    for prompt, typed in (
        ("Which field?", "1"),
        ("New text", "Pumps"),
        ("Which field?", "4"),
        ("in their new order", "2"),
        ("Which field?", "7"),
        ("New list", "roads; water "),
        ("Which field?", ""),
        ("with these changes?", "y"),
    ):
        here.expect(prompt)
        here.type(typed)
    assert here.exit_code() == 0
    assert gateway.heard[0]["action"] == "modify"
    assert gateway.heard[0]["modifications"] == {
        "title": "Pumps",
        "steps": [PLAN.steps[1].model_dump()],
        "focus_areas": ["roads", "water"],
    }


def test_a_plan_that_changed_meanwhile_is_not_approved(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway._draft()
    here = terminal("watch", RUN)
    here.expect("start the work")
    gateway.attempt, gateway.plan = 2, PLAN.model_copy(update={"title": "Another plan"})
    gateway._draft()
    here.type("a")
    here.expect("the plan shown now is")
    here.expect("Another plan")
    here.type("a")
    assert here.exit_code() == 0


@pytest.mark.parametrize("at", ["a question", "work"])
def test_ctrl_c_leaves_the_run_and_says_how_to_come_back(
    gateway: FakeGateway, terminal: type[Terminal], at: str
) -> None:
    gateway.pause = 0.1
    here = terminal("run", "Which?", *(["--yes"] if at == "work" else []))
    here.expect("Research" if at == "work" else "›")
    here.type(CTRL_C, end="")
    here.expect("Left. The run is kept")
    here.expect(f"python3 -m greenlight watch {RUN}")
    assert here.exit_code() == 130
