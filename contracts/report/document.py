"""The head of a report, which says in every format what it answers, what it took and what is missing."""

from pydantic import Field

from contracts.base import Contract
from contracts.notices import Notice


class ReportHead(Contract):
    """Head of a report: the same data opens every format."""

    question: str = Field(description="as it was asked")
    answer: str = Field(default="", description="the short answer; empty: no phase sums up")
    notices: list[Notice] = Field(
        default=[], description="what is missing and why; empty: the run completed"
    )
    date: str = Field(description="when the run ended, or began if it has not; ISO 8601, UTC")
    usd: float = Field(description="what the run cost; at the model's prices where none was called")
    model: str = Field(description="whose prices count, unless a role has its own")
    offline: bool = Field(description="a stand-in answered by rule, and nothing was billed")
    sources_read: int = Field(description="pages and documents that the run has read")

    @property
    def has_report(self) -> bool:
        """Return True if the run wrote a report; False if the phases' outputs replace it, or nothing does."""
        return all(notice.code not in {"no-report", "no-result"} for notice in self.notices)

    @property
    def is_all(self) -> bool:
        """Return True if the run ended before anything was written: its report is this head."""
        return any(notice.code == "no-result" for notice in self.notices)
