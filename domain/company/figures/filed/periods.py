"""A company's fiscal years and quarters, derived from the days that its facts span.

EDGAR's `fy` and `fp` describe the filing of a fact, so that last year's figures carry this year's:
they give a year its name and do not say which period a fact is of.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from contracts.company.figures import Interval
from domain.company.figures.filed.facts import Fact, count_days, parse_day

YEAR = range(350, 381)
QUARTER = range(75, 126)
"""Twelve to seventeen weeks, for companies with one long quarter."""
TO_DATE = range(75, 300)
HALF_YEAR = range(168, 200)
INTERVALS_READ = 3
"""Number of newest periods from which the filing interval is inferred."""
TRANSITION = "10-KT"
"""The form of a report on a period between two fiscal years."""
LONG_YEAR_DAYS = 369
DAYS_PER_MONTH = 30.4
QUARTERS_A_YEAR = 4
"""A year of 53 weeks has 371."""

_SLACK_DAYS = 7
_YEAR_END_SLACK_DAYS = 10
"""A year that ends in the first days of January is named after the year before."""
_QUARTER_DAYS = 91.3


@dataclass(frozen=True)
class Year:
    """A fiscal year; `name` is the number that the company gives it."""

    start: str
    end: str
    name: int


class FiscalCalendar:
    """Fiscal years and quarter ends, newest first; days are ISO dates, unknown ones empty.

    Half-years take the place of quarters for a company that files half-yearly.
    """

    def __init__(self, facts: Iterable[Fact]) -> None:
        flows = [fact for fact in facts if fact.start]
        self._files_10k = any(fact.form.startswith("10-K") for fact in flows)
        self._files_10q = any(fact.form.startswith("10-Q") for fact in flows)
        self.years = _find_years(flows)
        self.transitions = _find_transitions(flows, self.years)
        self._year_ends = [year.end for year in reversed(self.years)]
        self._last_ends = sorted({p.end for p in (*self.years[:1], *self.transitions)})
        ends = {fact.end for fact in flows if fact.days in QUARTER}
        for fact in flows:
            year_start = self.find_year_start(fact.end)
            if year_start and is_near(fact.start, year_start) and fact.days in TO_DATE:
                ends.add(fact.end)
        known = {*self.years, *self.transitions}
        ends |= {period.end for period in known} if ends else set()
        longer = [f for f in flows if f.days in TO_DATE and f.days not in QUARTER]
        self._to_date = {f.end: f.start for f in sorted(longer, key=lambda f: f.days)}
        known_ends = sorted(ends)
        ends |= {end for end in self._list_before(flows) if not _find_near(known_ends, end)}
        self.quarters = _space_out(ends, min(QUARTER) - 2 * _SLACK_DAYS)
        self._quarter_ends = self.quarters[::-1]

    def _list_before(self, flows: Iterable[Fact]) -> Iterator[str]:
        """Yield the ends of quarters that no fact is of: what a half year, or the like, leaves before its last quarter."""
        for end, start in {(fact.end, fact.start) for fact in flows if fact.days in QUARTER}:
            first, before = self._to_date.get(end, ""), shift_day(start, -1)
            if first and count_days(first, before) in QUARTER:
                yield before

    @property
    def interval(self) -> Interval:
        """The reporting interval: quarterly if 10-Qs or 10-Ks are filed, else by the distance of the latest periods.

        A company that files 10-Ks has to file 10-Qs too, even if none was read.
        """
        if not self.quarters:
            return "quarter" if self._files_10k else "year"
        pairs = pairwise(self.quarters[: INTERVALS_READ + 1])
        gaps = [count_days(earlier, later) - 1 for later, earlier in pairs]
        is_half = bool(gaps) and all(gap in HALF_YEAR for gap in gaps) and not self._files_10q
        return "half_year" if is_half else "quarter"

    def find_year_start(self, end: str) -> str:
        """Return the first day of the fiscal year that contains a day."""
        at = bisect_left(self._year_ends, end)
        for year in reversed(self._get_years(at, at + 2)):  # of two that overlap, the later one
            if year.start <= end:
                return year.start
        before = bisect_left(self._last_ends, end)
        newest = self._last_ends[before - 1] if before else ""
        if newest and count_days(newest, end) in range(YEAR.stop):
            return shift_day(newest, 1)
        return ""

    def _get_years(self, first: int, stop: int) -> list[Year]:
        """Return some fiscal years by their places from the oldest on, oldest first."""
        count = len(self.years)
        return [self.years[count - 1 - at] for at in range(first, min(stop, count))]

    def find_to_date_start(self, end: str) -> str:
        """Return the first day of the longest filed period of several quarters, shorter than a year, that ends on a day."""
        return self._to_date.get(end, "")

    def find_last_year_end(self, start: str) -> str:
        """Return the end of the fiscal year before one that starts on a day."""
        return _find_near(self._year_ends, start)

    def find_year_before(self, end: str) -> str:
        """Return the end of the same quarter or year, one year earlier."""
        return self._find_away(end, -YEAR.stop + 1, -YEAR.start)

    def find_year_after(self, end: str) -> str:
        """Return the end of the same quarter or year, one year later."""
        return self._find_away(end, YEAR.start, YEAR.stop - 1)

    def _find_away(self, end: str, least: int, most: int) -> str:
        """Return the newest end of a quarter, or else of a year, that is some days away from a day."""
        found = (
            _find_between(ends, end, least, most) for ends in (self._quarter_ends, self._year_ends)
        )
        return next(filter(None, found), "")

    def find_quarter_before(self, end: str) -> str:
        """Return the end of the quarter before."""
        return _find_between(self._quarter_ends, end, -QUARTER.stop + 1, -QUARTER.start)

    def find_quarter_after(self, end: str) -> str:
        """Return the end of the quarter after."""
        return _find_between(self._quarter_ends, end, QUARTER.start, QUARTER.stop - 1)

    def find_year_end_before(self, end: str) -> str:
        """Return the last day of the fiscal year before the one that holds a day, or before the months to date."""
        before = bisect_left(self._year_ends, end)
        last = self._year_ends[before - 1] if before else ""
        first = self.find_to_date_start(end)
        return max(last, shift_day(first, -1) if first else "")

    def find_remainder_start(self, end: str) -> str:
        """Return the first day of what the quarters filed in a fiscal year leave of it, if that is no single quarter.

        It is empty for a day that ends no fiscal year, and where all of its quarters are known, or none is.
        """
        at = bisect_left(self._year_ends, end)
        start = next((year.start for year in self._get_years(at, at + 1) if year.end == end), end)
        known = self._quarter_ends
        inside = known[bisect_right(known, start) : bisect_left(known, end)]
        first = shift_day(inside[-1], 1) if inside else ""
        if not first or count_days(first, end) in QUARTER:
            return ""
        is_whole = count_quarters(start, inside[-1]) == len(inside)
        return first if is_whole else ""

    def name_period(self, end: str, *, as_year: bool = False) -> str:
        """Return the company's name for a period, e.g. `FY2025`, `FY2025 Q3` or `FY2025 H1`."""
        start = self.find_year_start(end)
        if not start:
            return ""
        following = next((t.name for t in self.transitions if is_near(start, t.end)), 0)
        following = following or self.years[0].name + 1
        name = next((y.name for y in self.years if y.start == start), following)
        if as_year:
            return f"FY{name}"
        quarter = min(4, max(1, round(count_days(start, end) / _QUARTER_DAYS)))
        is_half = self.interval == "half_year"
        return f"FY{name} H{(quarter + 1) // 2}" if is_half else f"FY{name} Q{quarter}"


def count_quarters(first: str, last: str) -> int:
    """Return how many quarters lie between two days, both included."""
    return round(count_days(first, last) / _QUARTER_DAYS)


def is_near(one: str, other: str) -> bool:
    """Return whether two days are within a week: companies write a period's start in two ways."""
    return abs((parse_day(one) - parse_day(other)).days) <= _SLACK_DAYS


def _find_near(days: Sequence[str], day: str) -> str:
    """Return the newest of some days, in order, that is within a week of another; empty if none is."""
    return _find_between(days, day, -_SLACK_DAYS, _SLACK_DAYS)


def _find_between(days: Sequence[str], day: str, least: int, most: int) -> str:
    """Return the newest of some days, in order, that is at least and at most so many days after another, before if negative.

    A day can be searched for in the logarithm of the days: a file may have as many of them as it has facts.
    """
    if not days or not day:
        return ""
    after = bisect_right(days, shift_day(day, most))
    return days[after - 1] if after and days[after - 1] >= shift_day(day, least) else ""


def shift_day(text: str, days: int) -> str:
    """Return the ISO date `days` later."""
    return (parse_day(text) + timedelta(days=days)).isoformat()


def _find_years(flows: list[Fact]) -> list[Year]:
    """Return the year-long spans that annual reports state, numbered as the company does."""
    annual = [fact for fact in flows if fact.is_annual and fact.days in YEAR]
    by_end = {fact.end: fact for fact in annual}  # the last one filed wins
    newest = max(by_end, default="")
    named = [fact for fact in annual if fact.end == newest and fact.fiscal_year]
    first = min(named, key=lambda fact: fact.filed, default=None)
    offset = first.fiscal_year - _calendar_year(newest) if first else 0
    if offset not in {-1, 0, 1}:
        offset = 0
    return [
        Year(by_end[end].start, end, _calendar_year(end) + offset)
        for end in _space_out(by_end, 300)
    ]


def _find_transitions(flows: list[Fact], years: list[Year]) -> list[Year]:
    """Return the transition periods that have their own report, between fiscal years or after the latest one.

    `name` is that of the following fiscal year.
    """
    spans = [fact for fact in flows if TRANSITION in fact.form and fact.days < min(YEAR)]
    spans.sort(key=lambda fact: fact.start)
    starts = [fact.start for fact in spans]
    longest: dict[str, Fact] = {}
    for year in years:
        stop = bisect_right(starts, shift_day(year.end, _SLACK_DAYS))
        starting = spans[bisect_right(starts, year.end) : stop]
        longest |= {f.start: f for f in sorted(starting, key=lambda f: f.end)[-1:]}
    return [
        Year(f.start, f.end, _calendar_year(shift_day(f.end, min(YEAR)))) for f in longest.values()
    ]


def _calendar_year(end: str) -> int:
    return (parse_day(end) - timedelta(days=_YEAR_END_SLACK_DAYS)).year


def _space_out(ends: Iterable[str], at_least_days: int) -> list[str]:
    """Return the ends, newest first, without those too close to a later one."""
    spaced: list[str] = []
    for end in sorted(set(ends), reverse=True):
        if not spaced or count_days(end, spaced[-1]) > at_least_days:
            spaced.append(end)
    return spaced
