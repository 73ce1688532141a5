"""A company's own years and quarters, found in the days that its facts span.

EDGAR's `fy` and `fp` tell of the filing that a fact stands in, so that last year's figures carry
this year's: they name years here, and say nothing of which period a fact is of.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from domain.fundamentals.facts import Fact, day, days, newest_first

YEAR = range(350, 381)
QUARTER = range(75, 126)
"""From twelve weeks to the seventeen of those who have one long quarter."""
TO_DATE = range(75, 300)
LONG_YEAR_DAYS = 369
"""A year of 53 weeks has 371."""

_SLACK_DAYS = 7
_LATE_DAYS = 10
"""A year that ends in the first days of January is named after the one before."""
_QUARTER_DAYS = 91.3


@dataclass(frozen=True)
class Year:
    """A fiscal year; `name` is the number that the company gives it."""

    start: str
    end: str
    name: int


class Calendar:
    """The years and quarter ends of a company, newest first."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        flows = [fact for fact in facts if fact.start]
        self.years = _years(flows)
        ends = {fact.end for fact in flows if fact.days in QUARTER or self._is_to_date(fact)}
        ends |= {year.end for year in self.years} if ends else set()
        self.quarters = _apart(newest_first(iter(ends)), min(QUARTER) - 2 * _SLACK_DAYS)

    def is_year(self, end: str) -> bool:
        """Tell whether a fiscal year ends that day."""
        return any(year.end == end for year in self.years)

    def year_start(self, end: str) -> str:
        """Return the first day of the fiscal year in which a day is, or an empty text."""
        for year in self.years:
            if year.start <= end <= year.end:
                return year.start
        newest = self.years[0].end if self.years else ""
        if newest and newest < end and days(newest, end) in range(YEAR.stop):
            return shifted(newest, 1)
        return ""

    def last_year_end(self, start: str) -> str:
        """Return the end of the year that went before one, or an empty text."""
        return next((year.end for year in self.years if is_near(year.end, start)), "")

    def year_before(self, end: str) -> str:
        """Return the quarter's or year's end a year earlier, or an empty text."""
        known = [*self.quarters, *(year.end for year in self.years)]
        return next((other for other in known if days(other, end) - 1 in YEAR), "")

    def quarter_before(self, end: str) -> str:
        """Return the end of the quarter before, or an empty text."""
        return next((other for other in self.quarters if days(other, end) - 1 in QUARTER), "")

    def is_first_quarter(self, end: str) -> bool:
        """Tell whether the quarter that ends that day begins a year."""
        start = self.year_start(end)
        return bool(start) and days(start, end) in QUARTER

    def named(self, end: str, *, as_year: bool = False) -> str:
        """Return what the company calls the period, e.g. `FY2025` or `FY2025 Q3`."""
        start = self.year_start(end)
        if not start:
            return ""
        name = next((y.name for y in self.years if y.start == start), self.years[0].name + 1)
        quarter = min(4, max(1, round(days(start, end) / _QUARTER_DAYS)))
        return f"FY{name}" if as_year else f"FY{name} Q{quarter}"

    def _is_to_date(self, fact: Fact) -> bool:
        starts = self.year_start(fact.end)
        return bool(starts) and is_near(fact.start, starts) and fact.days in TO_DATE


def is_near(one: str, other: str) -> bool:
    """Tell whether two days are as good as the same: companies write the start in two ways."""
    return abs((day(one) - day(other)).days) <= _SLACK_DAYS


def shifted(text: str, by_days: int) -> str:
    """Return the day so many days later."""
    return (day(text) + timedelta(days=by_days)).isoformat()


def _years(flows: list[Fact]) -> list[Year]:
    """Return the fiscal years: the spans of a year that annual reports tell of."""
    annual = [fact for fact in flows if fact.is_annual and fact.days in YEAR]
    newest = {fact.end: fact for fact in annual}  # filed last
    ends = _apart(newest_first(iter(newest)), 300)
    offset = _offset(annual)
    return [Year(newest[end].start, end, _year_of(end) + offset) for end in ends]


def _offset(annual: list[Fact]) -> int:
    """Return by how much the company's number for a year differs from that of its last days."""
    newest = max((fact.end for fact in annual), default="")
    own = [fact for fact in annual if fact.end == newest and fact.fiscal_year]
    if not own:
        return 0
    first = min(own, key=lambda fact: fact.filed)
    found = first.fiscal_year - _year_of(newest)
    return found if found in {-1, 0, 1} else 0


def _year_of(end: str) -> int:
    moved: date = day(end) - timedelta(days=_LATE_DAYS)
    return moved.year


def _apart(ends: list[str], at_least_days: int) -> list[str]:
    """Return the ends that are far enough from the one after them."""
    kept: list[str] = []
    for end in ends:
        if not kept or days(end, kept[-1]) > at_least_days:
            kept.append(end)
    return kept
