"""Who writes what: general rules from a property's name and type, quotes for everything else."""

from collections.abc import Callable
from typing import Any

from greenlight.offline.model import evidence, planning, questions, report
from greenlight.offline.model.fit import MISSING, is_kind
from greenlight.offline.model.task import Task

WRITERS: dict[str, Callable[[Task], Any]] = {
    "questions": questions.questions,
    "title": planning.title,
    "goal": planning.goal,
    "requirements": planning.requirements,
    "steps": planning.steps,
    "search_terms": planning.search_terms,
    "geographical_scope": planning.geographical_scope,
    "focus_areas": planning.focus_areas,
    "expanded_queries": planning.expanded_queries,
    "outline": planning.outline,
    "assumptions": planning.assumptions,
    "findings": evidence.findings,
    "gaps": evidence.gaps,
    "comparison": report.comparison,
    "sections": report.sections,
    "accepted": lambda task: True,
    "issues": lambda task: [],
}


class Author:
    """Writes the values of one reply."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._quotes = [s.passage.text for s in evidence.ranked(task.sources, task.wanted)]
        self._next = 0

    def __call__(self, name: str, schema: dict[str, Any]) -> Any:
        """Return a value for a property, or MISSING."""
        kind = schema.get("type", "string")
        writer = WRITERS.get(name)
        if writer:
            value = writer(self._task)
            if is_kind(value, kind):
                return value
        return self._quote() if kind == "string" else MISSING

    def _quote(self) -> Any:
        if not self._quotes:
            return self._task.question or MISSING
        self._next += 1
        return self._quotes[(self._next - 1) % len(self._quotes)]
