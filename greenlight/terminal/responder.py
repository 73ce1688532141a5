"""Responders that need no keyboard: answers from a file, `--yes`, or nobody."""

import json
import sys
from pathlib import Path
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from contracts.human.messages import AnswerQuestions, Decide
from contracts.runs.state import Checkpoint, OpenQuestion
from greenlight.terminal.client import NeedsHuman, UsageError
from greenlight.terminal.person import Person, list_options

Answers = dict[str, str | None] | list[str | None]
"""By question id, `*` for all others; or in order. None leaves a question to the agents."""
_ANSWERS: TypeAdapter[Answers] = TypeAdapter(Answers)


class Responder(Protocol):
    """Human side of the checkpoints."""

    def answer(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Answer open questions."""

    def decide(self, checkpoint: Checkpoint) -> Decide:
        """Decide on the checkpoint's subject."""


class Nobody:
    """Responder of a run without a human."""

    def answer(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Raise NeedsHuman."""
        raise NeedsHuman("The run waits for answers, and nobody is at the keyboard.")

    def decide(self, checkpoint: Checkpoint) -> Decide:
        """Raise NeedsHuman."""
        raise NeedsHuman("The run waits for a decision, and nobody is at the keyboard.")


class Script:
    """Responder with prepared answers, each used once; then `fallback` responds."""

    def __init__(self, answers: Answers | None, yes: bool, fallback: Responder) -> None:
        self._by_id = answers if isinstance(answers, dict) else {}
        self._queue = iter(answers if isinstance(answers, list) else [])
        self._has_answers = yes or answers is not None
        self._yes = yes
        self._fallback = fallback
        self._seen: set[str] = set()
        self._question_ids: list[str] = []

    def answer(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Answer with the prepared answers; questions without one are left to the agents.

        Raises:
            UsageError: an answer names no question.
            NeedsHuman: a required question has no answer.
        """
        if not self._has_answers or not self._is_first(checkpoint):
            return self._fallback.answer(checkpoint)
        self._question_ids += [question.id for question in checkpoint.questions]
        if unknown := set(self._by_id).difference(self._question_ids, "*"):
            known = ", ".join(dict.fromkeys(self._question_ids))
            raise UsageError(f"No such question: {', '.join(sorted(unknown))}; there are {known}.")
        answers = {question.id: self._find_answer(question) for question in checkpoint.questions}
        return AnswerQuestions(answers=answers, checkpoint_id=checkpoint.checkpoint_id)

    def _find_answer(self, question: OpenQuestion) -> str | None:
        answer = next(self._queue, self._by_id.get(question.id, self._by_id.get("*")))
        if question.required and not answer:
            raise NeedsHuman(f"“{question.question}” ({question.id}) needs an answer of its own.")
        return answer

    def _is_first(self, checkpoint: Checkpoint) -> bool:
        is_first = checkpoint.checkpoint_id not in self._seen
        self._seen.add(checkpoint.checkpoint_id)
        return is_first

    def decide(self, checkpoint: Checkpoint) -> Decide:
        """Approve with `--yes`; a choice between options is left to the fallback."""
        has_choices = any(option.choice for option in list_options(checkpoint))
        if not self._yes or has_choices or not self._is_first(checkpoint):
            return self._fallback.decide(checkpoint)
        return Decide(
            action="approve",
            plan_hash=checkpoint.plan_hash,
            checkpoint_id=checkpoint.checkpoint_id,
        )


def choose_responder(
    console: Console, answers: Answers | None = None, *, yes: bool = False
) -> Responder:
    """Return the responder of a command: prepared answers first, then the person at the keyboard."""
    is_attended = console.is_terminal and sys.stdin.isatty()
    return Script(answers, yes, Person(console) if is_attended else Nobody())


def read_answers(path: Path) -> Answers:
    """Read answers from a JSON file."""
    try:
        return _ANSWERS.validate_python(read_json(path))
    except ValidationError as error:
        raise UsageError(
            f'{path} must hold {{"q1": "text", "*": null}} or ["text", null]'
        ) from error


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        UsageError: it cannot be read, or is not JSON.
    """
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
