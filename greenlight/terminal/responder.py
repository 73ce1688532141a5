"""Responder to a run's checkpoints: answers from a file, `--yes`, or the person at the keyboard."""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from contracts.human.messages import AnswerQuestions, Decide
from contracts.runs.state import Checkpoint
from greenlight.errors import NeedsHuman, UsageError
from greenlight.terminal.person import Person, list_options

Answers = dict[str, str | None] | list[str | None]
"""By question id, `*` for all others; or in order. None leaves a question to the agents."""
_ANSWERS: TypeAdapter[Answers] = TypeAdapter(Answers)


class Responder:
    """Human side of a run: prepared answers, each used once, then the person at the keyboard."""

    def __init__(
        self, console: Console, answers: Answers | None = None, *, yes: bool = False
    ) -> None:
        is_attended = console.is_terminal and sys.stdin.isatty()
        self._person = Person(console) if is_attended else None
        self._by_id = answers if isinstance(answers, dict) else {}
        self._queue = iter(answers if isinstance(answers, list) else [])
        self._has_answers = yes or answers is not None
        self._yes = yes
        self._seen: set[str] = set()
        self._question_ids: list[str] = []

    def answer(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Answer open questions; without a prepared answer, one is left to the agents.

        Raises:
            UsageError: an answer names no question.
            NeedsHuman: a required question has no answer, or nobody is at the keyboard.
        """
        if not self._has_answers or not self._is_first(checkpoint):
            return self._require_person("answers").answer(checkpoint)
        self._question_ids += [question.id for question in checkpoint.questions]
        if unknown := set(self._by_id).difference(self._question_ids, "*"):
            known = ", ".join(dict.fromkeys(self._question_ids))
            raise UsageError(f"No such question: {', '.join(sorted(unknown))}; there are {known}.")
        answers: dict[str, str | None] = {}
        for asked in checkpoint.questions:
            answers[asked.id] = next(self._queue, self._by_id.get(asked.id, self._by_id.get("*")))
            if asked.required and not answers[asked.id]:
                raise NeedsHuman(f"“{asked.question}” ({asked.id}) needs an answer of its own.")
        return AnswerQuestions(answers=answers, checkpoint_id=checkpoint.checkpoint_id)

    def _is_first(self, checkpoint: Checkpoint) -> bool:
        is_first = checkpoint.checkpoint_id not in self._seen
        self._seen.add(checkpoint.checkpoint_id)
        return is_first

    def decide(self, checkpoint: Checkpoint) -> Decide:
        """Approve with `--yes`; a choice between options is left to the person."""
        has_choices = any(option.choice for option in list_options(checkpoint))
        if not self._yes or has_choices or not self._is_first(checkpoint):
            return self._require_person("a decision").decide(checkpoint)
        return Decide(
            action="approve",
            plan_hash=checkpoint.plan_hash,
            checkpoint_id=checkpoint.checkpoint_id,
        )

    def _require_person(self, what: str) -> Person:
        if self._person is None:
            raise NeedsHuman(f"The run waits for {what}, and nobody is at the keyboard.")
        return self._person


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
