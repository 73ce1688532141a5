"""Where a command and its human meet: what is printed where, and who answers."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from rich.console import Console

from greenlight.terminal.prompts.questions import Person
from greenlight.terminal.prompts.responder import Answers, Nobody, Responder, Script, read_answers

PIPED_WIDTH = 120


class Desk:
    """`ui` carries questions and progress, stdout the report: one terminal, or two streams."""

    def __init__(
        self, answers_file: Path | None = None, yes: bool = False, told: Answers | None = None
    ) -> None:
        self.ui = console(stderr=not sys.stdout.isatty())
        self.is_attended = self.ui.is_terminal and sys.stdin.isatty()
        human: Responder = Person(self.ui) if self.is_attended else Nobody()
        if answers_file is not None:
            told = read_answers(answers_file)
        self.responder: Responder = Script(told, yes, human)


def console(*, stderr: bool = False) -> Console:
    """Return where to print; what is piped has room for lines to paste."""
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        made.width = PIPED_WIDTH
        made.file = cast(IO[str], _Trimmed(made.file))
    return made


@dataclass(frozen=True)
class _Trimmed:
    """A stream without the blanks that fill a table's lines."""

    stream: IO[str]

    def write(self, text: str) -> int:
        return self.stream.write(re.sub(r" +$", "", text, flags=re.MULTILINE))

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)
