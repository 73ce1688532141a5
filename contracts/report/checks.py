"""What checks found in a report: sentences that fell, lines on what was not found, parts left open."""

from pydantic import Field

from contracts.base import Contract
from contracts.evidence.claims import Claim


class Refused(Contract):
    """A sentence that did not hold, and the place in the report that it was written for."""

    place: str = Field(default="", description="a heading, or a cell's row and column")
    claim: Claim


class ReportChecked(Contract):
    """A report is checked; these sentences did not hold and are not in it."""

    refused: list[Refused] = []
