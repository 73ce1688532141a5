"""Reasons why a claim does not hold, or was not judged: a code with parameters; `contracts.words` has the words."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.notices import Notice
from contracts.words import Language, say

ReasonCode = Literal[
    "uncited",
    "source-unknown",
    "quote-missing",
    "quote-near",
    "quote-long",
    "base-unnamed",
    "base-shared",
    "base-fell",
    "too-long",
    "too-costly",
    "figure-missing",
    "figure-differs",
    "figure-misread",
    "year-missing",
    "date-missing",
    "working-wrong",
    "judged",
    "judged-silently",
    "unjudged",
    "being-checked",
    "judge-silent",
    "judge-failed",
    "taken-out",
]
"""Codes of reasons. A figure is missing, has another unit or scale in the quotes, or certainly another scale."""


class Reason(Contract):
    """Why a claim does not hold, or was not judged."""

    code: ReasonCode
    params: Mapping[str, str | int | Notice] = Field(
        default={}, description="what the words name, by hole"
    )

    @property
    def text(self) -> str:
        """Its English words."""
        return self.say("en")

    def say(self, language: Language) -> str:
        """Return its words in a language."""
        return say(language, f"doubt-{self.code}", **self.params)


def join_reasons(reasons: Iterable[Reason], language: Language = "en") -> str:
    """Return reasons in words."""
    return "; ".join(reason.say(language) for reason in reasons)
