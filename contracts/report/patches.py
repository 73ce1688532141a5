"""The living report: its changes, each of them small and reversible."""

from typing import Annotated, Literal

from pydantic import Field

from contracts.base import Contract, Text
from contracts.evidence.claims import Claim, Verdict
from contracts.evidence.reasons import Reason
from contracts.planning.assumptions import Assumptions
from contracts.planning.brief import Statement

TABLE = "Comparison table"
"""The name of a report's comparison, the only place that is not a heading of the outline."""


Label = Annotated[str, Field(min_length=1, max_length=200)]


class TableFigure(Contract):
    """A figure of the comparison, and its row and column."""

    row: str = Field(min_length=1, max_length=200, description="what is measured")
    column: str = Field(min_length=1, max_length=200, description="what it is measured of")
    claim: Claim = Field(
        description="the figure with its unit and year; or, `not_found`, what no source tells"
    )


class UpdateReportArgs(Contract):
    """The arguments of `update_report`: one section, and what changes there."""

    section: str = Field(max_length=300, description="where; the table takes figures alone")
    add: list[Claim] = Field(default=[], max_length=20, description="new sentences")
    after: int | None = Field(
        default=None,
        ge=0,
        description="number of the sentence that the new ones follow, 0: they open the section;"
        " left out: in the place of those taken out, else at the end",
    )
    remove: list[int] = Field(
        default=[], max_length=20, description="numbers of the section's sentences to take out"
    )
    figures: list[TableFigure] = Field(
        default=[],
        max_length=60,
        description="cells, of the comparison table alone, which takes nothing else",
    )
    drop_rows: list[Label] = Field(
        default=[], max_length=20, description="names of rows of the comparison table to take out"
    )
    missing: str | None = Field(
        default=None,
        max_length=800,
        description="what no source tells, a line each; empty: nothing is missing",
    )
    replaces: list[int] = Field(
        default=[],
        max_length=40,
        description="numbers of the lines of `gaps` that this `missing` says in their place",
    )
    is_list: bool | None = Field(
        default=None,
        description="whether each sentence of the section is an item, as of next steps",
    )
    reason: str = Field(default="", max_length=300, description="why, in a few words")
    makes_whole: bool = Field(
        default=False, description="the report is whole after this turn, if none of it is refused"
    )
    gaps: list[str] | None = Field(
        default=None,
        max_length=20,
        description="with your last changes, which end the research if none is refused: what the plan"
        " asks for and you did not find; empty: nothing",
    )


class Opening(Contract):
    """The title of a report and the headings that were agreed for it."""

    title: str
    outline: list[str]
    assumptions: Assumptions = Field(
        default=[],
        exclude_if=lambda assumed: not assumed,
        description="those of the plan, which its sentences may rest on",
    )
    statements: list[Statement] = Field(
        default=[],
        exclude_if=lambda statements: not statements,
        description="what the client said, which its sentences may rest on",
    )


class CellChange(Contract):
    """A cell of the comparison before and after a change."""

    row: str
    column: str
    before: Claim | None = None
    after: Claim | None = None


class PlacedClaim(Contract):
    """A claim and its 0-based place in its section, before or after a change."""

    at: int = Field(ge=0)
    claim: Claim


class PlacedVerdict(Contract):
    """The judge's verdict on a sentence being checked, by its 0-based place before a change."""

    at: int = Field(ge=0)
    verdict: Verdict | None
    doubts: list[Reason] = []


class Patch(Contract):
    """One change of one section, or of the comparison."""

    number: int = Field(ge=1, description="1-based position among the run's patches")
    section: str = Field(description="a heading of the outline, or the comparison's name")
    is_finding: bool = Field(
        default=False,
        description="it changes the findings of research under this heading, and not the report's text",
    )
    opening: Opening | None = Field(default=None, description="where it begins a report")
    verdicts: list[PlacedVerdict] = Field(default=[], description="of sentences that stay")
    removed: list[PlacedClaim] = []
    added: list[PlacedClaim] = Field(default=[], description="none that was found not to hold")
    cells: list[CellChange] = []
    missing_before: str = ""
    missing: str = Field(
        default="", description="what no source told here, as it is now, a line each"
    )
    replaces: list[str] = Field(
        default=[], description="lines on what was not found that `missing` says in their place"
    )
    is_list_before: bool = False
    is_list: bool = Field(
        default=False, description="whether its sentences are items, as it is now"
    )
    reason: str = ""
    is_ruling: bool = Field(
        default=False,
        description="it holds the judge's verdicts on sentences that were being checked",
    )
    undoes: int | None = Field(default=None, description="the number of the patch it takes back")
    by: str = Field(default="", description="the human who asked for it; empty: an agent")
    part: str = Field(
        default="", description="steps of the plan whose agent wrote it, where several work at once"
    )

    @property
    def is_empty(self) -> bool:
        """Return True if applying the patch leaves the report unchanged."""
        noted = self.missing, self.is_list
        has_content = self.removed or self.added or self.cells or self.verdicts or self.replaces
        return not has_content and noted == (self.missing_before, self.is_list_before)

    @property
    def taken_out(self) -> int:
        """Sentences and cells that leave the report."""
        return len(self.removed) + sum(cell.after is None for cell in self.cells)

    @property
    def size(self) -> int:
        """Characters written (sentences, labels, gaps), without quotes and removed text."""
        claims = [placed.claim for placed in self.added]
        claims += [cell.after for cell in self.cells if cell.after]
        labels = {cell.row for cell in self.cells} | {cell.column for cell in self.cells}
        missing = self.missing if self.missing != self.missing_before else ""
        return sum(map(len, [*(claim.text for claim in claims), *labels, missing]))


class ReaderRemark(Contract):
    """A reader's remark on a sentence of a finished report, for the follow-up to heed."""

    kind: Literal["wrong", "outdated", "more"]
    sentence: Text = Field(min_length=1, max_length=2_000, description="as the report has it")
    note: Text = Field(default="", max_length=2_000, description="what is wrong, new or asked for")


class SectionChange(Contract):
    """A follow-up's changes in one section, or in the comparison."""

    section: str
    added: int = Field(default=0, description="how many sentences or cells are new")
    removed: list[str] = Field(default=[], description="the sentences or cells that left")


class ReportChanges(Contract):
    """A follow-up's changes to the report that it continues."""

    sections: list[SectionChange] = []
    unheeded: list[ReaderRemark] = Field(
        default=[], description="sentences called wrong or outdated that stand as they were"
    )
