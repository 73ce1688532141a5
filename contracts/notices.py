"""Notices: a code with parameters that explains something to a reader; `contracts.words` has the words."""

from collections.abc import Iterable
from typing import Literal, cast

from pydantic import Field

from contracts.base import Contract
from contracts.documents import UnreadPart
from contracts.words import Language, say

Code = Literal[
    "run-unfinished",
    "run-failed",
    "run-rejected",
    "run-cancelled",
    "run-partial",
    "rejection",
    "rejection-unnamed",
    "phase-failed",
    "phase-partial",
    "phase-incomplete",
    "phase-skipped",
    "phase-blocked",
    "phase-unchecked",
    "searches-unmade",
    "report-insufficient",
    "budget-ended",
    "budget-ended-reading",
    "time-ended",
    "time-ended-reading",
    "steps-undone",
    "no-report",
    "no-result",
    "collections-reading",
    "collection-unread",
    "collection-gone",
    "documents-failed",
    "files-unopened",
    "unread-pages-without-text",
    "unread-pages-cut",
    "unread-text-cut",
    "unread-images",
    "unread-slides-hidden",
    "unread-sheets-hidden",
    "unread-rows-hidden",
    "unread-columns-hidden",
    "unread-sheets-cut",
    "unread-rows-cut",
    "unread-formulas-without-value",
    "unread-attachments",
    "unread-parts-encrypted",
    "unread-parts-broken",
    "unread-characters-broken",
    "unread-more",
    "warning",
]

Lack = Literal["no-report", "no-result"]
"""What a run without a report has in its place: what its phases gave, or nothing but the head."""


class Notice(Contract):
    """What a reader must know of a run or its report; each language has words for its code."""

    code: Code
    params: dict[str, str | int] = Field(default={}, description="what the words name, by hole")

    @property
    def text(self) -> str:
        """Its English words."""
        return self.say("en")

    def say(self, language: Language) -> str:
        """Return its words in a language."""
        return say(language, self.code, **self.params)


def tell_unread_parts(name: str, parts: Iterable[UnreadPart]) -> str:
    """Return in words, for a model, the parts of a document that were not read."""
    return "; ".join(tell_unread(name, part).text for part in parts)


def tell_unread(name: str, part: UnreadPart) -> Notice:
    """Return the notice of a part of a document that was not read."""
    params: dict[str, str | int] = {"name": name, "n": part.count}
    if part.of is not None:
        params["of"] = part.of
    if part.names:
        rest = ", …" if part.count > len(part.names) else ""
        params["names"] = ", ".join(part.names) + rest
    return Notice(code=cast("Code", f"unread-{part.code.replace('_', '-')}"), params=params)
