"""Results of checking a report: refused sentences, lines on what was not found, unanswered parts."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.claims import CitablePage, Citation, RefusedClaim
from contracts.evidence.reasons import Reason
from contracts.evidence.sources import FoundPage
from contracts.models.call import Scope

GapVerdict = Literal["not_told", "not_opened", "partly", "told"]
SkipReason = Literal["", "nothing_listed", "nothing_read", "no_judge", "no_time"]

MAX_WHOLE_CHARS = 45_000
"""Characters of all pages together up to which the check of gaps shows them whole."""


class Unanswered(Contract):
    """A part of the question for which every written sentence was refused."""

    kind: Literal["section", "row", "requirement"] = Field(
        description="a heading of the outline, a row of the comparison, or what the plan demands"
    )
    name: str


class RefusedCell(Contract):
    """A cell of the comparison that stays empty, as no sentence that was written for it held."""

    row: str
    column: str
    reason: str = Field(default="", description="why the last one did not hold, in words")
    doubts: list[Reason] = Field(default=[], description="what `reason` says, as codes")


class Gap(Contract):
    """A line that says what was not found, as it was checked against the report and its pages."""

    place: str = Field(description="the heading that it stands under")
    line: str
    after: str = Field(
        default="",
        exclude_if=lambda after: not after,
        description="of a sentence of a text: the one before it, which may name its subject",
    )
    verdict: GapVerdict | None = Field(
        default=None, description="whether it is told after all; null: not checked"
    )
    left: str = Field(
        default="",
        description="of a line told in part: what is still missing, in the judge's words; printed in the"
        " line's place. Empty where it states anything else",
    )
    phrases: list[str] = Field(
        default=[],
        description="in which it was sought in the pages too; empty: in its own words alone",
    )
    found: list[Citation] = Field(
        default=[], description="passages that tell it, but for those of claims that do"
    )

    not_opened: list[FoundPage] = Field(
        default=[], description="pages that may tell it, which a search found and nobody opened"
    )

    @property
    def printed(self) -> str:
        """Return the line as a report shows it; empty if a page answers it after all."""
        if self.verdict == "told":
            return ""
        return self.left or self.line


class ReportChecked(Contract):
    """The result of checking a report: removed sentences, and unanswered parts."""

    refused: list[RefusedClaim] = []
    gaps: list[Gap] = []
    unanswered: list[Unanswered] = []
    skipped: SkipReason = Field(default="", description="why no judge read the lines in `gaps`")


class KnownClaim(Contract):
    """A sentence of the report, with the places of its quotes: source, first character, end."""

    text: str
    places: list[tuple[int, int, int]] = []


class PassageRequest(Contract):
    """Asks for the passages of pages that bear most on each of some lines."""

    scope: Scope
    lines: list[list[str]] = Field(
        description="each line, with the phrases in which a page may state it"
    )
    claims: list[KnownClaim] = Field(default=[], description="whose passages may bear on a line")
    pages: list[CitablePage]


class PagePassage(Contract):
    """A sentence or two, or a table's row, of a page."""

    source: int
    start: int
    end: int
    text: str
    above: str = Field(default="", description="its heading and its table's header")
    heads: list[str] = Field(default=[], description="of a table's row: its table's header")
    notice: str = Field(default="", description="that the page says of it, as that it is invented")
    page: int | None = Field(default=None, description="of a document that has pages")


class PassagesFound(Contract):
    """Unique passages, and for each line the indices of its relevant passages."""

    passages: list[PagePassage]
    by_line: list[list[int]]
    unsearched: list[int] = Field(
        default=[], description="pages whose snapshot is missing, or was not searched to its end"
    )


class LinePhrases(Contract):
    """Other wordings of one line."""

    line: int = Field(description="its number")
    phrases: list[str] = Field(description="in which a page would state what the line misses")


class GapPhrases(Contract):
    """Other wordings of the lines, one entry for each."""

    phrases: list[LinePhrases]


class GapRuling(Contract):
    """The judge's ruling on one line."""

    line: int = Field(description="its number")
    verdict: GapVerdict
    by: list[str] = Field(
        description="labels of the claims and passages that tell it, as `p3`, or of the unopened pages that may"
    )
    left: str = Field(
        default="", description="only if `partly`: the line without what is told, in its own words"
    )


class GapRulings(Contract):
    """The judge's rulings, one for each line."""

    rulings: list[GapRuling]
    unanswered: list[int] = Field(
        default=[], description="numbers of the parts, where they are given, that nothing answers"
    )
