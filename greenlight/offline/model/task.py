"""What the inputs of a request are about: question, answers, plan, sources."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from greenlight.offline.model.conversation import Conversation
from greenlight.offline.model.gazetteer import places, without_places
from greenlight.offline.text.passages import Passage, passages
from greenlight.offline.text.subject import compared, topic
from greenlight.offline.text.words import clip, stems

NUMBERED = re.compile(r"source-(\d+)$")
QUESTION = ("question", "query", "topic", "task", "request", "message")
TITLE_CHARS = 150


@dataclass(frozen=True)
class Source:
    """A numbered text that may be quoted."""

    number: int
    text: str

    @cached_property
    def passages(self) -> list[Passage]:
        """Its lines and sentences."""
        return passages(self.number, self.text)

    @cached_property
    def naming(self) -> Passage | None:
        """The passage that says what it is about: its first heading, else its first line."""
        short = [p for p in self.passages[:5] if len(p.text) <= TITLE_CHARS]
        return next((p for p in short if p.heading), next(iter(short), None))


class Task:
    """A conversation's inputs, read once."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation

    @cached_property
    def question(self) -> str:
        """What was asked."""
        given = self.conversation.text(*QUESTION)
        texts = (t for name, t in self.conversation.inputs.items() if not NUMBERED.match(name))
        return given or next((t for t in texts if t.strip() and t.lstrip()[0] not in "[{"), "")

    @cached_property
    def answers(self) -> list[tuple[str, str]]:
        """What was asked back and answered; "you decide" is no answer."""
        given = self.conversation.data("answers", "answered", "brief")
        if isinstance(given, dict):
            given = given.get("answers", [{"question": q, "answer": a} for q, a in given.items()])
        if isinstance(given, str):
            given = [{"question": "", "answer": given}]
        pairs = [
            (a.get("question", ""), a.get("answer")) for a in given or [] if isinstance(a, dict)
        ]
        return [(str(q), str(a).strip()) for q, a in pairs if a and str(a).strip()]

    @cached_property
    def asked(self) -> set[str]:
        """The questions that were put before, answered or not."""
        given = self.conversation.data("answers", "answered", "brief")
        entries = given if isinstance(given, list) else []
        return {str(a.get("question", "")) for a in entries if isinstance(a, dict)}

    @cached_property
    def startup(self) -> dict[str, Any]:
        """The business idea that the question is asked for."""
        given = self.conversation.data("startup")
        return given if isinstance(given, dict) else {}

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The plan that is being carried out."""
        given = self.conversation.data("plan")
        return given if isinstance(given, dict) else {}

    @cached_property
    def feedback(self) -> str:
        """What a human asked to change."""
        return self.conversation.text("feedback", "changes", "revision")

    @cached_property
    def places(self) -> list[str]:
        """The countries that it is about: the question's, else the answers', else the startup's."""
        said = " ".join(answer for _, answer in self.answers)
        scope = str(self.startup.get("geographical_scope", ""))
        named = next((p for p in map(places, (self.question, said, scope)) if p), [])
        return revised(named, self.feedback)

    @cached_property
    def subjects(self) -> list[str]:
        """The things that are set side by side."""
        return self.places or compared(self.question)

    @cached_property
    def topic(self) -> str:
        """What is asked of them."""
        found = topic(without_places(self.question), self.subjects)
        return found or clip(self.question, 60) or "the subject"

    @cached_property
    def sources(self) -> list[Source]:
        """The numbered sources in order; where there are none, every other text that was given."""
        numbered = [
            Source(int(match[1]), text)
            for name, text in self.conversation.inputs.items()
            if (match := NUMBERED.match(name))
        ]
        rest = [t for n, t in self.conversation.inputs.items() if n not in QUESTION and t.strip()]
        others = [Source(n, text) for n, text in enumerate(rest, 1)]
        return sorted(numbered, key=lambda source: source.number) or others

    @cached_property
    def wanted(self) -> dict[str, float]:
        """How much each stem matters: the question's and its answers' most, then the plan's."""
        own = stems(" ".join(self.subjects))
        said = " ".join([*(a for _, a in self.answers), *self.plan.get("focus_areas", [])])
        terms = " ".join([*self.plan.get("search_terms", []), *self.plan.get("requirements", [])])
        weights = ((terms, 0.5), (said, 2.0), (self.topic, 3.0), (self.question, 3.0))
        return {s: weight for text, weight in weights for s in stems(text) if s not in own}


def revised(named: list[str], feedback: str) -> list[str]:
    """Return the places after what a human asked to change: added, dropped, or only these."""
    for clause in re.split(r"[.;,\n]|\bbut\b|\band (?=drop|add|leave|remove|skip)", feedback):
        meant = places(clause)
        if re.search(r"\b(?:only|just|focus on|limit|instead)\b", clause, re.IGNORECASE) and meant:
            named = meant
        elif re.search(
            r"\b(?:drop|without|remove|exclude|not|skip|leave out|ignore|no)\b",
            clause,
            re.IGNORECASE,
        ):
            named = [place for place in named if place not in meant] or named
        else:
            named = [*named, *(place for place in meant if place not in named)]
    return named
