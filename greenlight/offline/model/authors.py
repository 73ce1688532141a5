"""Who writes what: general rules from a property's name and type, quotes for everything else."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from greenlight.offline.model import (
    asking,
    comparison,
    critic,
    decision,
    evidence,
    gaps,
    ideas,
    items,
    judge,
    notes,
    planning,
    questions,
    report,
    steps,
)
from greenlight.offline.model.fit import MISSING, Place, Schema
from greenlight.offline.model.refs import inlined
from greenlight.offline.model.task import Task
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import stems

WRITERS: dict[str, Callable[[Task], Any]] = {
    "questions": questions.questions,
    "title": planning.title,
    "goal": planning.goal,
    "requirements": planning.requirements,
    "steps": steps.steps,
    "search_terms": planning.search_terms,
    "geographical_scope": planning.geographical_scope,
    "focus_areas": planning.focus_areas,
    "expanded_queries": planning.expanded_queries,
    "outline": planning.outline,
    "assumptions": planning.assumptions,
    "findings": notes.findings,
    "gaps": notes.gaps,
    "claims": notes.claims,
    "missing": notes.missing,
    "comparison": comparison.comparison,
    "sections": report.sections,
    "issues": judge.issues,
    "reasons": judge.reasons,
    "problems": judge.problems,
    "verdicts": judge.verdicts,
    "summary": evidence.prose,
    "text": items.brief,
    "action": decision.action,
    "horizon": decision.horizon,
    "what_would_change": decision.what_would_change,
    "ideas": ideas.ideas,
    "reviews": critic.reviews,
}
"""Values that a whole request asks for; within a list, the same names mean other things."""


class Author:
    """Writes the values of one reply."""

    def __init__(self, task: Task, schema: Schema) -> None:
        self._task = task
        self._schema = schema
        self._told: set[Passage] = set()

    @cached_property
    def _passages(self) -> list[Passage]:
        every = [passage for source in self._task.sources for passage in source.passages]
        return list(
            dict.fromkeys([*evidence.ranked(self._task.sources, self._task.wanted), *every])
        )

    def draft(self, place: Place) -> Any:
        """Return what a whole request asks for under this name, or MISSING."""
        if place.name == "gaps" and self._asked and not place.listed:
            return gaps.gaps(self._task, self._asked)
        writer = None if place.listed else WRITERS.get(place.name)
        return writer(self._task) if writer else MISSING

    def __call__(self, place: Place, kind: str, schema: Schema) -> Any:
        """Return a value of a kind for a place, or MISSING."""
        if "enum" in schema:
            return judge.choice(self._task, place.name, schema["enum"])
        match kind:
            case "boolean":
                return judge.verdict(self._task, place.name)
            case "integer" | "number":
                return judge.number(self._task, place.name, schema)
            case "string":
                return self._quoted(place.name)
            case "object":
                return self._evidence(place.name, schema)
            case "array":
                return self._list(place, schema)
            case _:
                return MISSING

    def _next(self, name: str) -> Passage | None:
        wanted = stems(name.replace("_", " "))
        fresh = [passage for passage in self._passages if passage not in self._told]
        named = [passage for passage in fresh if wanted & passage.stems]
        chosen = next(iter([*named, *fresh, *self._passages]), None)
        self._told |= {chosen} if chosen else set()
        return chosen

    def _quoted(self, name: str) -> Any:
        passage = self._next(name)
        return passage.text if passage else self._task.question or MISSING

    @cached_property
    def _lists(self) -> items.Lists:
        properties = inlined(self._schema, self._schema).get("properties") or {}
        return items.Lists(self._task, properties)

    @cached_property
    def _asked(self) -> list[asking.Asked]:
        """The lists of quotes that no writer of their own fills."""
        whole = inlined(self._schema, self._schema)
        found = asking.asked_in(whole.get("properties"))
        return [asked for asked in found if asked.name not in WRITERS]

    def _list(self, place: Place, schema: Schema) -> Any:
        """Return as many objects as there is evidence for, where a list asks for quotes."""
        asked = asking.asked_of(place.name, inlined(schema.get("items"), self._schema) or {})
        return MISSING if place.listed or not asked.wants_quotes else self._lists.fill(asked)

    def _evidence(self, name: str, schema: Schema) -> Any:
        """Return a passage as an object where one asks for a quote, else nothing."""
        asked = asking.asked_of(name, inlined(schema, self._schema))
        passage = self._next("") if asked.wants_quotes else None
        return self._lists.item(asked, passage) if passage else MISSING
