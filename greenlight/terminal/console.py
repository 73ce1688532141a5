"""Consoles, and a keyboard that is muted unless something is asked."""

import re
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

from rich.console import Console

from contracts.words import say

MAX_WIDTH = 120
"""Columns: longer lines are hard to read. A pipe has them all, so that lines can be pasted."""


def open_console(*, stderr: bool = False) -> Console:
    """Open a console, at most 120 columns wide; a pipe is just that."""
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal or console.width > MAX_WIDTH:
        console.width = MAX_WIDTH
    if not console.is_terminal:
        console.file = cast(IO[str], _RightTrimmed(console.file))
    return console


def open_dialog_console() -> Console:
    """Open the console for questions and progress; it leaves a piped stdout to the report."""
    return open_console(stderr=not sys.stdout.isatty())


@dataclass(frozen=True)
class _RightTrimmed:
    """A stream without the trailing blanks of table cells."""

    stream: IO[str]

    def write(self, text: str) -> int:
        return self.stream.write(re.sub(r" +$", "", text, flags=re.MULTILINE))

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def confirm(question: str) -> bool:
    """Ask a person to confirm a deletion, and report if it is cancelled; without a terminal, return True."""
    if not sys.stdin.isatty():
        return True
    if input(f"{say('en', 'cli-confirm', question=question)} › ").strip().lower().startswith("y"):
        return True
    print(say("en", "cli-kept"))
    return False


@contextmanager
def mute_keyboard() -> Iterator[None]:
    """Discard keys typed during the block, without echo; Ctrl-C still interrupts."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    muted = termios.tcgetattr(sys.stdin)
    muted[3] &= ~termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSANOW, muted)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, before)
