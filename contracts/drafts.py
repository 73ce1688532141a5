"""What models answer, as output schemas: drafts that code goes on to check, price and render."""

from pydantic import Field

from contracts.base import Contract
from contracts.research import Finding
from contracts.web import Citation, Claim


class DraftQuestion(Contract):
    """A question as the model writes it."""

    question: str = Field(description="one question, about what the request leaves open")
    context: str = Field(description="why the answer changes the research")
    choices: list[str] = Field(default=[], description="two to five likely answers, if any")


class Questions(Contract):
    """The model's questions."""

    questions: list[DraftQuestion]


class PlanReview(Contract):
    """What a second reader says of a plan."""

    accepted: bool
    issues: list[str] = Field(default=[], description="what to change, most important first")


class DraftVerdict(Contract):
    """Whether a report keeps a rule."""

    met: bool
    quote: str = Field(description="the sentence of the report that shows it, to the letter")
    reason: str = ""


class Findings(Contract):
    """The agent's typed answer."""

    findings: list[Finding]
    gaps: list[str] = []


class DraftCitation(Contract):
    """A passage, copied to the letter, and the number of its source."""

    source: int
    quote: str


class DraftClaim(Contract):
    """One sentence and the passages it rests on."""

    text: str
    citations: list[DraftCitation]

    def claim(self) -> Claim:
        """Return it as a claim that is still to be checked."""
        cited = [Citation(source=max(c.source, 1), quote=c.quote) for c in self.citations]
        return Claim(text=self.text, citations=cited)


class DraftCell(DraftCitation):
    """A figure with its unit and year, and where it stands."""

    text: str


class DraftRow(Contract):
    """One thing compared; a cell is null where no source says it."""

    label: str
    cells: list[DraftCell | None]


class DraftComparison(Contract):
    """Figures side by side: `columns` are what is compared, one cell for each in every row."""

    columns: list[str]
    rows: list[DraftRow]


class DraftSection(Contract):
    """A section of the outline; `missing` says what no source told."""

    heading: str
    claims: list[DraftClaim] = []
    missing: str = ""


class DraftReport(Contract):
    """The report as the model writes it."""

    title: str
    comparison: DraftComparison | None = Field(
        default=None, description="only where the request compares things"
    )
    sections: list[DraftSection]
