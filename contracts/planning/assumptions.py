"""A plan's assumptions, each with an id by which conclusions refer to it."""

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from contracts.base import Contract, Note, Text
from contracts.evidence.claims import Claim
from contracts.notices import Notice, say_told
from contracts.words import Language


class Assumption(Contract):
    """A statement that the plan takes for granted because the user left it open."""

    ANSWERED_AS: ClassVar[Any] = Note
    """The type that a model writes instead."""
    id: Text = Field(default="", max_length=20, description="e.g. `A2`; code gives it")
    text: Note | Notice = Field(description="a text, or a notice where code assumes it")

    def say(self, language: Language) -> str:
        """Return it in words."""
        return say_told(self.text, language)

    def tell(self, language: Language) -> str:
        """Return it as models read it, after its id."""
        return f"{self.id}: {self.say(language)}"

    def as_claim(self, language: Language) -> Claim:
        """Return it as a supported claim on which conclusions may rest, without judgement."""
        return Claim(id=self.id, text=self.say(language), citations=[], assumed=True).rule(
            "supported"
        )


def number_assumptions(given: Any, known: Iterable[Assumption] = ()) -> Any:
    """Return the given assumptions, each with a unique id that no known assumption has.

    A text alone is an assumption without an id.
    """
    if not isinstance(given, list):
        return given
    rows = [{"text": row} if isinstance(row, str | Notice) else row for row in given]
    taken = {*map(_find_id, rows), *(one.id for one in known)}
    free, seen = (new for n in count(1) if (new := f"A{n}") not in taken), {""}
    named = []
    for row in rows:
        name = _find_id(row)
        if name in seen and isinstance(row, Mapping | Assumption):
            row = {**dict(row), "id": next(free)}
        seen.add(name or "")
        named.append(row)
    return named


def _find_id(row: Any) -> str | None:
    """Return an assumption's id, empty if it has none yet; None if the id is invalid."""
    name = row.get("id", "") if isinstance(row, Mapping) else getattr(row, "id", "")
    return name if isinstance(name, str) else None


Assumptions = Annotated[list[Assumption], BeforeValidator(number_assumptions)]
"""Assumptions with an id each; a text alone is one without."""
