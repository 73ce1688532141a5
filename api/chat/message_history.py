"""A conversation as clients send it: completely each time, including our earlier answers.

Each answer of ours begins with a link to its run, and ends with one that names what it shows: a checkpoint, the
report, or the end of a run. By them a reply is known to belong to what was shown, however often it is sent.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from api.chat.wire import AskedMessage, ChatRequest
from contracts.base import Json
from contracts.errors import InvalidInput
from contracts.human.checkpoints import Checkpoint, OpenQuestion
from contracts.human.messages import ACTIONS, AnswerQuestions, Decide
from contracts.problems import Problem
from contracts.words import Language

REPORT, ENDED_BARE = "report", "ended"
"""Values for answers without a checkpoint: a report that can be followed up, and any other end of a run."""
SIDE_REQUEST = "### Task:"
"""Prefix of Open WebUI's own requests: for a title, tags, follow-up questions or searches."""
SHOWN_HASH_CHARS = 12
LEAVE = "-"
"""Leaves a question to the run."""
CHANGE = "change:"
_NUMBERED = re.compile(r"(\d{1,2})\s?(:|\.(?!\))|\.?\))(?!\d)")
"""The number of a question; before a digit, as in `2.5 %`, `1:30 pm` and `3.11.2026`, it is a part of the answer."""
_OPENING = re.compile(r"\s{0,20}\[[^\]\n]{0,300}\]\(\S{0,300}/runs/(run-[0-9a-f-]{36})\)")
_CLOSING = re.compile(r"\[[^\]\n]{0,300}\]\(\S{0,300}/runs/run-[0-9a-f-]{36}#([\w.~%-]{1,200})\)")
_TITLE_CHARS = 60


@dataclass(frozen=True)
class LastShown:
    """What our last answer in a conversation showed."""

    run_id: str
    part: str = ""
    """The id of a checkpoint, `report` or `ended`; empty if the answer was not read to its end."""


@dataclass(frozen=True)
class Conversation:
    """A request's contents: the user's latest text, all their texts, and our last answer."""

    model: str
    text: str
    texts: list[str]
    shown: LastShown | None

    @classmethod
    def of(cls, asked: ChatRequest) -> "Conversation":
        """Read a request.

        Raises:
            InvalidInput: its last message is not a user's text.
        """
        last = asked.messages[-1]
        path = f"messages[{len(asked.messages) - 1}]"
        if not last.is_text:
            raise InvalidInput([Problem.at(f"{path}.content", "chat-text-only")])
        if last.role != "user" or not last.text.strip():
            raise InvalidInput([Problem.at(path, "chat-no-question")])
        texts = [each.text for each in asked.messages if each.role == "user"]
        return cls(asked.model, last.text.strip(), texts, _find_shown(asked.messages))

    @property
    def is_side_request(self) -> bool:
        """Whether a program asks for a title or the like, which no run is started for."""
        return self.text.startswith(SIDE_REQUEST)

    def hash(self, *more: str) -> str:
        """Return a digest of the user's texts, which identifies repeated requests."""
        said = json.dumps([self.model, self.texts, *more])
        return hashlib.sha256(said.encode(errors="replace")).hexdigest()


def _find_shown(messages: Sequence[AskedMessage]) -> LastShown | None:
    """Return what our last answer showed; its last line counts only where the text is whole."""
    for message in reversed(messages):
        if message.role == "assistant" and (opening := _OPENING.match(message.text)):
            last_line = message.text.rstrip().rpartition("\n")[2]
            closing = _CLOSING.fullmatch(last_line.strip())
            return LastShown(opening[1], unquote(closing[1]) if closing else "")
    return None


def write_link(url: str, words: str, part: str = "") -> str:
    """Return the link to a run's page that begins an answer, or with a part of it the one that ends it."""
    mark = f"#{quote(part, safe='')}" if part else ""
    return f"[{words}]({url}{mark})"


def answer_side_request(text: str) -> str:
    """Answer a program's own request with JSON by rule; a title is the conversation's first words."""
    history = text.partition("<chat_history>")[2].partition("</chat_history>")[0].strip()
    first = history.partition("\n")[0].partition(":")
    title = " ".join((first[2] or first[0]).split())[:_TITLE_CHARS]
    empty: dict[str, list[str]] = {"follow_ups": [], "queries": []}
    said = {"title": title or "Greenlight", "tags": ["General"], **empty, "text": ""}
    return json.dumps(said, ensure_ascii=False)


def read_answers(text: str, checkpoint: Checkpoint, language: Language) -> AnswerQuestions:
    """Return what a reply answers: `1: …; 2: …`, or one text for all; `-` leaves a question to the run.

    A text whose numbers may be a part of what it says is kept whole; so is any answer to a single question.
    """
    said = _split_numbered(text, len(checkpoint.questions)) if len(checkpoint.questions) > 1 else {}
    answers: dict[str, str | None] = {}
    for number, question in enumerate(checkpoint.questions, 1):
        answer = said.get(number) if said else text
        if answer is not None:
            answers[question.id] = _read_answer(answer, question, language, by_number=bool(said))
    return AnswerQuestions(answers=answers, checkpoint_id=checkpoint.checkpoint_id)


def _split_numbered(text: str, count: int) -> Mapping[int, str]:
    """Return a reply's numbered answers by number; empty unless it begins with a question's number and repeats none.

    A single number with a full stop counts for none: `2. Quartal` is an ordinal.
    """
    found: dict[int, list[str]] = {}
    marks: list[str] = []
    number = 0
    for part in filter(None, map(str.strip, text.replace(";", "\n").split("\n"))):
        start = _NUMBERED.match(part)
        if not (start or found):
            return {}
        if start:
            number = int(start[1])
            if number in found or not 1 <= number <= count:
                return {}
            found[number] = [part[start.end() :].strip()]
            marks.append(start[2])
        else:
            found[number].append(part)
    return {} if marks == ["."] else {n: "\n".join(parts).strip() for n, parts in found.items()}


def _read_answer(
    said: str, question: OpenQuestion, language: Language, *, by_number: bool
) -> str | None:
    """Return an answer, mapped to the choice that it names; None leaves the question to the run."""
    if said == LEAVE:
        return None
    for choice in question.choices:
        label = question.labels[choice].say(language) if choice in question.labels else choice
        if said.casefold() in {choice.casefold(), label.casefold()}:
            return choice
    return None if question.strict and not by_number else said


def list_commands(checkpoint: Checkpoint) -> dict[str, Json]:
    """Return the exact words that decide at a checkpoint, each with the decision's fields.

    To approve a plan they hold the beginning of its hash.
    """
    actions: dict[str, Any] = dict(zip(ACTIONS, ACTIONS, strict=True))
    actions |= {choice.label: choice.action for choice in checkpoint.choices}
    commands: dict[str, Json] = {}
    for option in checkpoint.options:
        action = actions.get(option, option)
        fields: Json = {"action": option} if option in ACTIONS else {"choice": option}
        if action in {"modify", "revise"}:
            continue
        approves = action == "approve" and checkpoint.plan_hash is not None
        command = f"{option} {str(checkpoint.plan_hash)[:SHOWN_HASH_CHARS]}" if approves else option
        commands[command] = {**fields, "plan_hash": checkpoint.plan_hash}
    return commands


def read_decision(text: str, checkpoint: Checkpoint, *, may_revise: bool) -> Decide | None:
    """Return the decision that a reply spells out exactly; None for other text, which decides nothing."""
    head, rest = text[: len(CHANGE)], text[len(CHANGE) :].strip()
    if may_revise and head.casefold() == CHANGE and rest:
        return Decide(action="revise", feedback=rest, checkpoint_id=checkpoint.checkpoint_id)
    for command, fields in list_commands(checkpoint).items():
        if text.casefold() == command.casefold():
            return Decide.model_validate({**fields, "checkpoint_id": checkpoint.checkpoint_id})
    return None
