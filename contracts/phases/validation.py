"""`validation`: are the sources live, recent and independent, and does the report keep its promises?"""

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from contracts.base import Contract, Note, Text
from contracts.phase import Config, PhaseBase
from contracts.report.research import Report

TIMELY = ["news", "current", "currently", "price", "prices", "latest", "today", "recent"]


class ValidationConfig(Config):
    """`validation`: what a report has to hold up to."""

    always: bool = Field(default=False, description="also where no word asks for live sources")
    words: list[Annotated[Text, Field(min_length=1, max_length=50)]] = Field(
        default=TIMELY,
        max_length=100,
        description="a question or a requirement with one of them needs live sources",
    )
    min_sources: PositiveInt = Field(default=2, le=50, description="that can be reached")
    min_publishers: PositiveInt = Field(default=2, le=50, description="independent of each other")
    max_age_days: PositiveInt = Field(
        default=365, le=36_500, description="a source without a date counts as too old"
    )
    check_outline: bool = Field(default=True, description="the agreed sections must be there")
    rules: list[Annotated[Note, Field(min_length=1)]] = Field(
        default=[], max_length=20, description="sentences that must be true of the report"
    )
    models: dict[Literal["validator"], str] = Field(default={}, description="role -> model id")


class ValidationPhase(PhaseBase):
    """A node of kind `validation`."""

    kind: Literal["validation"] = "validation"
    config: ValidationConfig = ValidationConfig()


class CheckedSource(Contract):
    """A cited source, as it stood when the report was validated."""

    position: int = Field(ge=1, description="its number in the report")
    url: str
    publisher: str
    age_days: int | None = Field(default=None, description="None: without a date")
    status: int | None = Field(default=None, description="of HTTP; None: no answer")
    counts: bool = Field(description="it answered and is recent enough")
    changed: bool | None = Field(
        default=None,
        description="it reads otherwise than its snapshot, which stays what is cited; "
        "None: that cannot be told",
    )
    notes: list[str] = Field(default=[], description="what this adds to the source's notes")


class RuleVerdict(Contract):
    """Whether a rule is met, and the sentence of the report that shows it."""

    rule: str
    met: bool
    quote: str = ""
    reason: str = ""


class Validation(Contract):
    """What the checks found."""

    verdict: Literal["passed", "insufficient", "not_needed"]
    asked_by: list[str] = Field(default=[], description="the words that ask for live sources")
    sources: list[CheckedSource] = []
    missing_headings: list[str] = Field(default=[], description="of the agreed outline")
    rules: list[RuleVerdict] = []
    problems: list[str] = Field(default=[], description="why it is insufficient")


class ValidationOutput(Contract):
    """`validation` provides `validation`, and the `report` with a note where there are problems."""

    validation: Validation
    report: Report
