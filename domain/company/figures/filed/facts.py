"""A fact of a company as EDGAR lists it, and its days."""

from datetime import date
from functools import lru_cache
from typing import NamedTuple

ANNUAL = ("10-K", "20-F", "40-F")
FOREIGN = ("20-F", "40-F", "6-K")
"""Forms of foreign issuers; their shares mostly trade in the United States as depositary shares."""
GAAP, IFRS, COVER = "us-gaap", "ifrs-full", "dei"


class Fact(NamedTuple):
    """One value of one filing; days are ISO dates, `fiscal_year` is the filing's, not the fact's."""

    start: str
    end: str
    value: float
    accession: str
    filed: str
    form: str
    fiscal_year: int
    factor: float = 1.0
    """Factor applied to the filed value because of later stock splits."""

    @property
    def days(self) -> int:
        """Days from start to end, both included; 0 for an instant."""
        return count_days(self.start, self.end) if self.start else 0

    @property
    def is_annual(self) -> bool:
        """True if an annual report states it."""
        return self.form.startswith(ANNUAL)


@lru_cache(maxsize=100_000)
def parse_day(text: str) -> date:
    """Return the day of an ISO date."""
    return date.fromisoformat(text)


@lru_cache(maxsize=20_000)
def count_days(start: str, end: str) -> int:
    """Return the days from `start` to `end`, both included."""
    return (parse_day(end) - parse_day(start)).days + 1
