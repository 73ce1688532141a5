"""Answering without a keyboard: from a file, by `--yes`, or not at all."""

import json
from pathlib import Path
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError

from contracts.human.messages import AnswerQuestions, Decide
from contracts.runs.state import Checkpoint, OpenQuestion
from greenlight.terminal.client import NeedsHuman, Usage
from greenlight.terminal.prompts.questions import options

Answers = dict[str, str | None] | list[str | None]
_ANSWERS: TypeAdapter[Answers] = TypeAdapter(Answers)


class Responder(Protocol):
    """Answers for the human at a checkpoint."""

    def answers(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Answer open questions."""

    def decision(self, checkpoint: Checkpoint) -> Decide:
        """Decide on what is shown."""


class Nobody:
    """Is not there to be asked."""

    def answers(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Say that a human is needed."""
        raise NeedsHuman("The run waits for answers, and nobody is at the keyboard.")

    def decision(self, checkpoint: Checkpoint) -> Decide:
        """Say that a human is needed."""
        raise NeedsHuman("The run waits for a decision, and nobody is at the keyboard.")


class Script:
    """Says what it was told, once; the rest, and what was refused, it leaves to another."""

    def __init__(self, told: Answers | None, yes: bool, rest: Responder) -> None:
        self._named = told if isinstance(told, dict) else {}
        self._queue = iter(told if isinstance(told, list) else [])
        self._speaks = yes or told is not None
        self._yes = yes
        self._rest = rest
        self._said: set[str] = set()
        self._known: list[str] = []

    def answers(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Answer what it was told; the rest is "you decide"."""
        if not self._speaks or not self._first(checkpoint):
            return self._rest.answers(checkpoint)
        self._known += [question.id for question in checkpoint.questions]
        if unknown := set(self._named).difference(self._known, "*"):
            known = ", ".join(dict.fromkeys(self._known))
            raise Usage(f"No such question: {', '.join(sorted(unknown))}; there are {known}.")
        given = {question.id: self._answer(question) for question in checkpoint.questions}
        return AnswerQuestions(answers=given, checkpoint_id=checkpoint.checkpoint_id)

    def _answer(self, question: OpenQuestion) -> str | None:
        answer = next(self._queue, self._named.get(question.id, self._named.get("*")))
        if question.required and not answer:
            raise NeedsHuman(f"“{question.question}” ({question.id}) needs an answer of its own.")
        return answer

    def _first(self, checkpoint: Checkpoint) -> bool:
        first = checkpoint.checkpoint_id not in self._said
        self._said.add(checkpoint.checkpoint_id)
        return first

    def decision(self, checkpoint: Checkpoint) -> Decide:
        """Approve if told to; a choice between options is a human's."""
        chooses = any(option.choice for option in options(checkpoint))
        if not self._yes or chooses or not self._first(checkpoint):
            return self._rest.decision(checkpoint)
        return Decide(
            action="approve",
            plan_hash=checkpoint.plan_hash,
            checkpoint_id=checkpoint.checkpoint_id,
        )


def read_answers(path: Path) -> Answers:
    """Read answers: by question id (`*` for all others), or a list in order."""
    try:
        return _ANSWERS.validate_python(read_json(path))
    except ValidationError as error:
        raise Usage(f'{path} must hold {{"q1": "text", "*": null}} or ["text", null]') from error


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise Usage(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise Usage(f"{path} is not JSON: {error}") from error
