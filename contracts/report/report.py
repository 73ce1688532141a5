"""The report as data: sections of claims, a comparison, and the searches that were made."""

from pydantic import Field, ValidationInfo, field_validator

from contracts.base import Contract, Question
from contracts.evidence.claims import Claim
from contracts.evidence.searches import ServiceFailure
from contracts.evidence.sources import Source
from contracts.models.answer_json_schema import code_fills
from contracts.notices import Notice, Told
from contracts.planning.assumptions import Assumptions
from contracts.planning.brief import Statement
from contracts.report.checks import Gap, RefusedCell, Unanswered
from contracts.report.document import Document, ReportHead
from contracts.report.patches import Patch, ReportChanges
from contracts.runs.lost_inputs import LossCause
from contracts.words import Language


class Search(Contract):
    """A query and its outcome."""

    query: str
    hits: int
    error: Notice | None = None
    cause: LossCause | None = Field(default=None, description="of the error, as data")
    failures: list[ServiceFailure] = Field(
        default=[],
        exclude_if=lambda failures: not failures,
        description="services that gave nothing, or not all, while others gave hits",
    )


class ComparisonRow(Contract):
    """One thing measured; a cell is null where no source says it."""

    label: str
    cells: list[Claim | None] = Field(
        description="one for each column; null where no source says it"
    )


class Comparison(Contract):
    """Figures side by side: one cell for each column in every row."""

    columns: list[str] = Field(description="what is compared, e.g. one per country")
    rows: list[ComparisonRow]

    @field_validator("rows")
    @classmethod
    def _fit_rows(cls, rows: list[ComparisonRow], info: ValidationInfo) -> list[ComparisonRow]:
        """Return rows with a cell for each column, as agents and clients may write them otherwise."""
        width = len(info.data.get("columns", []))
        return [
            row.model_copy(update={"cells": [*row.cells, *[None] * width][:width]}) for row in rows
        ]

    @property
    def is_empty(self) -> bool:
        """Whether it compares nothing."""
        return not (self.columns and self.rows)


class Section(Contract):
    """A part of the report, under a heading of the outline."""

    heading: str
    claims: list[Claim] = []
    is_list: bool = Field(default=False, description="each claim is an item, as of next steps")
    is_detail: bool = code_fills(
        False, "findings of research, or what the text leaves out: it stands in the appendix"
    )
    is_beyond: bool = code_fills(
        False, "what the report rests on and its text does not say, as code adds it"
    )
    is_beside_decision: bool = code_fills(
        False,
        "why a decision judges a price by the cell that it picks: it stands above the tables of it",
    )
    is_note: bool = code_fills(False, "explains the tables and charts: it stands below them")
    missing: str = Field(default="", description="what no source told, a line each")
    remarks: list[str] = code_fills([], "what states no fact and needs no quote")
    account: str = code_fills("", "what an agent says of its own work, which nothing checks")

    @property
    def is_written(self) -> bool:
        """Return whether the section has claims, remarks or an account."""
        return bool(self.claims or self.remarks or self.account)


class ApprovedFindings(Contract):
    """What a human approved of a plan's step, before the report was written from it."""

    number: int = Field(ge=1, description="the step's place in the plan")
    name: str
    summary: str = Field(default="", description="the agent's own account of the step")
    findings: list[Claim]


class Report(Contract):
    """The structured report; `markdown` is rendered from it by code."""

    title: str = Field(description="names the subject; no figure and no verdict")
    comparison: Comparison | None = Field(
        default=None, description="only where the request compares things"
    )
    sections: list[Section]
    answer: Section | None = code_fills(
        None, "what opens the report: its own claims, or a decision"
    )
    opens_with_decision: bool = code_fills(False, "its opening is a decision, ahead of its notes")
    assumptions: Assumptions = code_fills(
        [], "those of the plan: what nobody said; conclusions rest on them by their ids"
    )
    statements: list[Statement] = Field(
        default=[],
        exclude_if=lambda statements: not statements,
        description="what the client said; sentences rest on it by its ids",
        json_schema_extra={"readOnly": True},
    )
    caveats: list[Told] = code_fills([], "what to bear in mind")
    would_change: list[str] = code_fills([], "what would change the conclusion")
    losses: list[Told] = code_fills(
        [], "what it lacks; stands above its answer, or right below a decision"
    )
    notes: list[Told] = code_fills([], "what a reader must know before the rest")
    changes: ReportChanges | None = code_fills(
        None, "what a follow-up changed; null of any other report"
    )
    approved: list[ApprovedFindings] = Field(
        default=[],
        exclude_if=lambda approved: not approved,
        description="by step, what a human approved before the report was written from it",
        json_schema_extra={"readOnly": True},
    )
    gaps: list[Gap] = code_fills([], "lines on what was not found, as they were checked")
    unanswered: list[Unanswered] = code_fills([], "parts on which nothing that was written held")
    refused_cells: list[RefusedCell] = code_fills(
        [], "empty cells of the comparison whose sentences did not hold"
    )
    source_notes: dict[int, list[Notice]] = code_fills(
        {}, "what a later check says against sources, by their numbers"
    )
    searches: list[Search] | None = code_fills(
        None, "the searches made for it; null: a draft, which may still grow"
    )
    exhibits: list[str] = code_fills([], "ids of the tables and charts that it shows")
    note_order: list[str] = code_fills(
        [], "names of its notes by the numbers that readers saw; empty: numbered as first named"
    )
    markdown: str = code_fills("", "the whole as Markdown")
    document: Document | None = code_fills(
        None, "what every format draws, as it is served; null of a phase's output"
    )
    head: ReportHead | None = code_fills(
        None, "what it opens with as it is served; null of a draft as it was at an event"
    )
    claims_total: int = code_fills(
        0, "claims of the comparison and of the text; of the findings if there is no text"
    )
    claims_unsupported: int = code_fills(0, "claims marked as partly or not shown")
    claims_unjudged: int | None = code_fills(
        None, "claims on which the judge was to say a word and did not; null without a judge"
    )

    @property
    def has_findings(self) -> bool:
        """Return True if its text was written from findings, which it keeps in addition."""
        return any(section.is_detail and section.claims for section in self.sections)

    def list_given(self, language: Language) -> list[Claim]:
        """Return what its sentences may rest on without a source: the client's words and the plan's assumptions."""
        assumed = [each.as_claim(language) for each in self.assumptions]
        return [*(statement.as_claim for statement in self.statements), *assumed]


class BaseReport(Contract):
    """The report that a follow-up changes, asks about or edits, and the sources that its citations number."""

    run_id: str = Field(default="", description="the run that has it")
    question: Question | None = Field(default=None, description="that it was made for")
    sources: list[Source]
    patches: list[Patch]
    report: Report | None = Field(
        default=None, description="as it stands, where a sentence of it is edited"
    )
