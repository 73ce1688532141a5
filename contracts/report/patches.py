"""The living report: each of its changes, small, in order, and such that it can be taken back."""

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.sources import Claim, Source
from contracts.report.drafts import DraftCell, DraftClaim

TABLE = "Comparison table"
"""Where a report keeps its comparison: the one place that is no heading of the outline."""


class DraftFigure(DraftCell):
    """A figure of the comparison: in which row and column, and where it stands."""

    row: str = Field(min_length=1, max_length=200, description="what is measured")
    column: str = Field(min_length=1, max_length=200, description="what it is measured of")


class UpdateReportArgs(Contract):
    """What `update_report` takes: one section, and what changes there."""

    section: str = Field(max_length=300, description="where; the table takes figures alone")
    add: list[DraftClaim] = Field(default=[], max_length=20, description="new sentences")
    remove: list[int] = Field(
        default=[], max_length=20, description="numbers of the section's sentences to take out"
    )
    figures: list[DraftFigure] = Field(
        default=[], max_length=60, description="cells of the comparison, which takes nothing else"
    )
    missing: str | None = Field(
        default=None, max_length=800, description="what no source tells; empty: nothing is missing"
    )
    reason: str = Field(default="", max_length=300, description="why, in a few words")


class Opening(Contract):
    """What a report is called and the headings that were agreed for it."""

    title: str
    outline: list[str]


class CellChange(Contract):
    """A cell of the comparison: what stood there, what stands there now."""

    row: str
    column: str
    before: Claim | None = None
    after: Claim | None = None


class Placed(Contract):
    """A claim and its place in its section: from 0, where it stood or where it stands."""

    at: int = Field(ge=0)
    claim: Claim


class Patch(Contract):
    """One change of one section, or of the comparison."""

    number: int = Field(ge=1, description="1-based position among the run's patches")
    section: str = Field(description="a heading of the outline, or the comparison's name")
    opening: Opening | None = Field(default=None, description="where it begins a report")
    removed: list[Placed] = []
    added: list[Placed] = Field(default=[], description="checked; unsupported ones never get here")
    cells: list[CellChange] = []
    missing_before: str = ""
    missing: str = Field(default="", description="what no source told here, as it is now")
    reason: str = ""
    undoes: int | None = Field(default=None, description="the number of the patch it takes back")
    by: str = Field(default="", description="the human who asked for it; empty: an agent")

    @property
    def size(self) -> int:
        """Characters of the report's own sentences that change; quotes are copied by code."""
        claims = [placed.claim for placed in (*self.removed, *self.added)]
        claims += [c for cell in self.cells for c in (cell.before, cell.after) if c]
        labels = {cell.row for cell in self.cells} | {cell.column for cell in self.cells}
        missing = self.missing if self.missing != self.missing_before else ""
        return sum(map(len, [*(claim.text for claim in claims), *labels, missing]))


class BaseReport(Contract):
    """The report that a follow-up changes, and the sources that its citations number."""

    sources: list[Source]
    patches: list[Patch]
