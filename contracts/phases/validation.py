"""`validation`: checks that sources are live, recent and independent and that the report meets rules."""

from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from contracts.base import DAY, Contract, Note
from contracts.evidence.sources import Source
from contracts.notices import Notice
from contracts.phases.base import ROLE_MODELS, Config, Need, PhaseBase, PhaseInput
from contracts.planning.plan import Plan
from contracts.report.report import Report, Search


class ValidationConfig(Config):
    """`validation`: requirements that a report must meet."""

    always: bool = Field(
        default=False,
        description="check sources even if the plan does not say how old they may be; `on_fail` other than"
        " `note` does so, too",
    )
    min_sources: PositiveInt = Field(default=2, le=50, description="reachable ones")
    min_publishers: PositiveInt = Field(default=2, le=50, description="independent ones")
    max_age_days: PositiveInt = Field(
        default=365, le=36_500, description="of `always`; what the plan says goes before it"
    )
    check_outline: bool = Field(default=True, description="require the approved outline's sections")
    rules: list[Annotated[Note, Field(min_length=1)]] = Field(
        default=[],
        max_length=20,
        description="sentences that must be true of the report, of each part of a long one",
    )
    on_fail: Literal["note", "ask", "stop"] = Field(
        default="note",
        description="what an insufficient report leads to: a note in it; a human who approves or "
        "rejects it; the failure of the run before any later phase",
    )
    wait_seconds: float = Field(
        default=7 * DAY,
        gt=0,
        le=365 * DAY,
        description="how long `ask` waits for a human; then the run is rejected",
    )
    models: dict[Literal["validator"], str] = ROLE_MODELS

    @property
    def is_due(self) -> bool:
        """Return whether sources are always checked: a gate must, even if the plan names no age."""
        return self.always or self.on_fail != "note"


class ValidationPhase(PhaseBase):
    """A node of kind `validation`."""

    kind: Literal["validation"] = "validation"
    config: ValidationConfig = ValidationConfig()


class CheckedSource(Contract):
    """State of a cited source when the report was validated."""

    position: int = Field(ge=1, description="its number in the report")
    url: str
    publisher: str
    age_days: int | None = Field(default=None, description="None: without a date")
    status: int | None = Field(default=None, description="of HTTP; None: no answer")
    is_live: bool = Field(
        default=False,
        description="it answers, not by its home page, and has what is quoted from it",
    )
    counts: bool = Field(description="live and recent enough; without a date it is not")
    changed: bool | None = Field(
        default=None,
        description="its text differs from the snapshot, which stays the cited version; "
        "None: unknown",
    )
    quotes_gone: int = Field(default=0, description="cited quotes that it no longer has")
    notes: list[Notice] = Field(default=[], description="additions to the source's notes")


class RuleVerdict(Contract):
    """Verdict on a rule, with the sentence of the report that shows it."""

    rule: str
    met: bool
    quote: str = ""
    reason: str = ""


class Validation(Contract):
    """Result of the checks."""

    verdict: Literal["passed", "insufficient", "not_needed"]
    max_age_days: int | None = Field(
        default=None, description="how old a source may be; None: nothing asked for live ones"
    )
    sources: list[CheckedSource] = []
    missing_headings: list[str] = Field(default=[], description="of the agreed outline")
    rules: list[RuleVerdict] = []
    problems: list[Notice] = Field(default=[], description="reasons for an insufficient verdict")


class ValidationInput(PhaseInput):
    """`validation` takes a report, the pages that it cites, and the plan."""

    report: Report
    sources: Annotated[list[Source], Need(many=True, longest=True)]
    plan: Plan
    searches: Annotated[list[Search], Need(many=True)] = []


class ValidationOutput(Contract):
    """`validation` provides `validation` and the `report`, with a note on any problems."""

    validation: Validation
    report: Report
