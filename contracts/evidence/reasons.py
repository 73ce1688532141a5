"""Reasons why a claim does not hold, or was not judged: a code with parameters, and the catalogue of their words."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from contracts.base import Contract

ReasonCode = Literal[
    "uncited",
    "source-unknown",
    "quote-missing",
    "quote-near",
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
    "judge-silent",
    "judge-failed",
    "taken-out",
]
"""Of figures: one is missing, has another unit or scale in the quotes, or certainly another scale."""

WORDS: Mapping[ReasonCode, str] = {
    "uncited": "no source is cited",
    "source-unknown": "source {source} does not exist",
    "quote-missing": "source {source} does not say “{quote}”",
    "quote-near": "source {source} does not say “{quote}”; nearest to it is “{near}”",
    "base-unnamed": "it rests on `{base}`, which names no sentence",
    "base-shared": "it rests on `{base}`, which names several sentences",
    "base-fell": "it rests on a sentence that did not hold",
    "too-long": "the claim is too long to check",
    "too-costly": "{error}",
    "figure-missing": "{shown} neither stands in the quotes that were found nor follows from them",
    "figure-differs": "{shown} is {quoted} in the quotes",
    "figure-misread": "{shown} is {quoted} in the quotes",
    "year-missing": "the year {shown} is neither in the quotes nor in what stands above them",
    "date-missing": "the date {shown} is neither in the quotes nor around them",
    "working-wrong": "{error}",
    "judged": "{text}",
    "judged-silently": "no reason given",
    "unjudged": "{text}",
    "judge-silent": "the judge passed it over",
    "judge-failed": "not judged: {error}",
    "taken-out": "a human took this out of the report: it stays out",
}
"""The English words of each code, as its writer, its judge and its readers see them."""


class Reason(Contract):
    """Why a claim does not hold, or was not judged."""

    code: ReasonCode
    params: dict[str, str | int] = Field(default={}, description="what the words name, by hole")

    @property
    def text(self) -> str:
        """Its English words."""
        return WORDS[self.code].format_map(self.params)


def join_reasons(reasons: Iterable[Reason]) -> str:
    """Return reasons in words."""
    return "; ".join(reason.text for reason in reasons)
