"""What models answer, as output schemas: drafts that code goes on to check, price and render."""

from pydantic import Field

from contracts.base import Contract, Note
from contracts.evidence.sources import Citation, Claim
from contracts.report.research import Finding, Idea, IdeaReview


class DraftQuestion(Contract):
    """A question as the model writes it."""

    question: str = Field(description="one question, about what the request leaves open")
    context: str = Field(description="why the answer changes the research")
    choices: list[str] = Field(default=[], description="two to five likely answers, if any")


class Questions(Contract):
    """The model's questions."""

    questions: list[DraftQuestion]


class Decomposition(Questions):
    """What a question leaves open, and what it falls into."""

    expanded_queries: list[str] = Field(description="in other words, one aspect each")
    outline: list[str] = Field(description="headings of a report that answers it")
    assumptions: list[Note] = Field(default=[], description="what is taken for granted")


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


class Gaps(Contract):
    """The typed answer of an agent that wrote down as it went what it found."""

    gaps: list[str] = Field(description="what the plan asks for and was not found")


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


class Entailment(Contract):
    """Whether the quotes of a claim say what it says."""

    claim: int = Field(description="its number")
    entailed: bool
    reason: str = ""


class Entailments(Contract):
    """The judge's word on each claim."""

    verdicts: list[Entailment]


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


class DraftText(Contract):
    """A short answer as the model writes it."""

    title: str
    claims: list[DraftClaim]
    missing: str = Field(default="", description="what no source told")


class DraftReport(Contract):
    """The report as the model writes it."""

    title: str = Field(max_length=300)
    comparison: DraftComparison | None = Field(
        default=None, description="only where the request compares things"
    )
    sections: list[DraftSection]


class DraftSummary(Contract):
    """The summary as the model writes it."""

    text: str = Field(description="the whole in two or three sentences")
    key_points: list[DraftClaim] = Field(description="what carries it, most important first")


class DraftAnalysis(Contract):
    """The analysis as the model writes it."""

    text: str = Field(description="the answer in two or three sentences")
    points: list[DraftClaim] = Field(description="what it rests on, most important first")
    gaps: list[str] = Field(description="what would have to be known and is not")


class DraftPoints(Contract):
    """What follows from a company's figures, as the model writes it."""

    points: list[DraftClaim] = Field(description="most important first, one sentence each")
    gaps: list[str] = Field(description="what would have to be known and is not")


class DraftScore(DraftCitation):
    """What one article says of the company, and in what tone."""

    text: str = Field(description="what it says of the company, one sentence")
    sentiment: float = Field(ge=-1, le=1, description="from -1, bad news for it, to 1, good news")


class DraftSentiment(Contract):
    """The news as the model reads it: one score for each article."""

    articles: list[DraftScore]


class DraftDecision(Contract):
    """The decision as the model writes it."""

    action: str = Field(description="what to do, in a few words")
    confidence: float = Field(ge=0, le=1, description="how well the inputs carry it")
    horizon: str = Field(description="for how long it holds, or by when to act")
    rationale: list[DraftClaim] = Field(description="what speaks for it, most important first")
    risks: list[DraftClaim] = Field(description="what speaks against it")
    what_would_change: list[str] = Field(description="what, if it were so, would call for another")


class DraftIdeas(Contract):
    """The ideas as their maker writes them."""

    ideas: list[Idea]


class DraftIdeaReviews(Contract):
    """What the critic says, one review an idea."""

    reviews: list[IdeaReview]
