"""What a critic says of ideas, by criteria that any reader can check against the inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greenlight.offline.model.task import Task
from greenlight.offline.text.words import stems

Idea = dict[str, Any]

MOST = 10
GOOD = 0.5
TRYING = stems("trial try test count measure compare before after pilot prove fail held")
QUOTED = "“"


def words_of(idea: Idea) -> set[str]:
    """Return the stems of all that an idea says."""
    return stems(" ".join(text for text in idea.values() if isinstance(text, str)))


def on_subject(task: Task, idea: Idea, others: list[Idea]) -> float:
    """Return how much of the subject it speaks of."""
    wanted = stems(task.topic)
    return len(wanted & words_of(idea)) / len(wanted) if wanted else 0.0


def as_wished(task: Task, idea: Idea, others: list[Idea]) -> float:
    """Return how many of the user's wishes it takes up."""
    said = words_of(idea)
    taken = [len(stems(wish) & said) / (len(stems(wish)) or 1) for wish in task.wishes]
    return sum(taken) / len(taken) if taken else GOOD


def shown(task: Task, idea: Idea, others: list[Idea]) -> float:
    """Tell whether what speaks for it is quoted."""
    return float(QUOTED in str(idea.get("why", "")))


def tried(task: Task, idea: Idea, others: list[Idea]) -> float:
    """Return how far it says what would show that it fails."""
    return min(1.0, len(TRYING & words_of(idea)) / 4)


def own(task: Task, idea: Idea, others: list[Idea]) -> float:
    """Return how much of it no other idea says."""
    said = words_of(idea)
    known = {stem for other in others if other is not idea for stem in words_of(other)}
    return len(said - known) / len(said) if said else 0.0


@dataclass(frozen=True)
class Criterion:
    """One thing that ideas are judged by."""

    rule: Callable[[Task, Idea, list[Idea]], float]
    weight: float
    strong: str
    weak: str


CRITERIA = (
    Criterion(on_subject, 0.3, "It stays with the subject.", "It strays from the subject."),
    Criterion(
        as_wished, 0.25, "It takes up what was wished for.", "It leaves out what was wished for."
    ),
    Criterion(
        shown, 0.2, "What speaks for it is quoted.", "Nothing that is quoted speaks for it yet."
    ),
    Criterion(
        tried, 0.15, "It says how one would see it fail.", "Nothing would show that it fails."
    ),
    Criterion(own, 0.1, "It is unlike the others.", "The others say much of the same."),
)


def reviews(task: Task) -> list[dict[str, Any]]:
    """Return a review of each idea that is handed over."""
    given = [idea for idea in task.conversation.json.get("ideas", ()) if isinstance(idea, dict)]
    return [review(task, number, idea, given) for number, idea in enumerate(given, start=1)]


def review(task: Task, number: int, idea: Idea, others: list[Idea]) -> dict[str, Any]:
    """Return what is strong and weak in one idea, the weightiest first, and its score."""
    marks = [(criterion, criterion.rule(task, idea, others)) for criterion in CRITERIA]
    return {
        "idea": number,
        "strengths": [criterion.strong for criterion, mark in marks if mark >= GOOD],
        "weaknesses": [criterion.weak for criterion, mark in marks if mark < GOOD],
        "score": round(MOST * sum(criterion.weight * mark for criterion, mark in marks), 2),
    }
