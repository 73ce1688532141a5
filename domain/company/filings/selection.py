"""Selection of the filings to read: the latest of each kind with a known document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from contracts.company.figures import Fundamentals
from contracts.company.filings import Filing, ResultsKind
from domain.company.figures.filed.facts import parse_day
from domain.company.figures.filed.periods import shift_day

ANNUAL = ("10-K", "20-F", "40-F", "10-KT")
QUARTERLY = ("10-Q",)
FOREIGN, NOTICE = ("20-F", "40-F"), "6-K"
RESULTS = "2.02"
"""The item of an 8-K under which results are announced."""
YEAR_DAYS, QUARTER_DAYS, SINCE_DAYS = 364, 91, 30
"""Fifty-two and thirteen weeks keep the day of the week; a period that ends so soon after another is the same."""
SOONEST_DAYS = 6
"""Days after a period's end before which its results are not announced."""
YEAR_LENGTH, QUARTER_MONTHS = 365, 3
QUARTERLY_DEADLINE = 40
"""Days after a quarter's end by which a large filer's 10-Q is due."""
MOST_NOTICES = 4
"""Maximum number of 6-Ks that are read, as they do not say what they are on: a quarter's or two."""
_TITLE_CHARS = 600
_PERIOD = re.compile(
    r"\b(?:quarter|Q[1-4]|half[- ]year|(?:six|nine) months|full[- ]year|fiscal)\b",
    re.IGNORECASE,
)
_RESULT = re.compile(r"\b(?:results|earnings|revenues?|sales|income|profit)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Chosen:
    """The filings to read; None if there is no such filing."""

    annual: Filing | None
    annual_before: Filing | None
    quarterly: Filing | None
    """Newer than the annual one."""
    announcements: tuple[Filing, ...]
    """The 8-K with results; for a foreign company its latest 6-Ks, since any of them may contain results."""


def announces_results(text: str) -> bool:
    """Return whether an exhibit of a 6-K is an announcement of results, by how it begins."""
    title = text[:_TITLE_CHARS]
    return bool(_PERIOD.search(title) and _RESULT.search(title))


def choose_filings(filings: Sequence[Filing], as_of: str | None = None) -> Chosen:
    """Select the filings to read among those filed by a day, ignoring amendments."""
    known = [f for f in filings if f.document and (as_of is None or f.filed <= as_of)]
    known.sort(key=lambda filing: (filing.filed, filing.accession), reverse=True)
    annual = [filing for filing in known if filing.form in ANNUAL]
    newest = annual[0] if annual else None
    quarterly = (f for f in known if f.form in QUARTERLY)
    told = [f for f in known if f.form == "8-K" and RESULTS in f.items.split(",")][:1]
    if newest and newest.form in FOREIGN:
        told = told or [f for f in known if f.form == NOTICE][:MOST_NOTICES]
    quarter = next(quarterly, None)
    return Chosen(
        annual=newest,
        annual_before=next((f for f in annual if newest and f.end < newest.end), None),
        quarterly=quarter if quarter and (newest is None or quarter.filed > newest.filed) else None,
        announcements=tuple(told),
    )


class Expected(NamedTuple):
    """The day on which results are due, and the days between a period's end and its report that it follows from, if it does.

    The day is that of `results` announced by an 8-K, of a `report`, or the `deadline` of a report of which no earlier one is known.
    """

    day: str
    lag: int = 0
    kind: ResultsKind = "results"


def expect_results(
    filings: Sequence[Filing], newest_end: str, as_of: str | None = None
) -> Expected:
    """Estimate when the results after `newest_end` are due: 52 weeks after those of a year before.

    Results come with their 8-K or, without one, with the report. Where that year's report is unknown, the results of
    a company that files quarterly are due as long after their quarter's end as those of its newest report of that
    form. The day is empty if neither is known.
    """
    known = [f for f in filings if as_of is None or f.filed <= as_of]
    year_before = shift_day(newest_end, SINCE_DAYS - YEAR_DAYS)
    own = [f for f in known if f.form in (*ANNUAL, *QUARTERLY) and f.end]
    reports = [f for f in own if f.end > year_before]
    report = min(reports, key=lambda filing: (filing.end, filing.filed), default=None)
    if report is None:
        return Expected("")
    last = shift_day(newest_end, QUARTER_DAYS + SINCE_DAYS - YEAR_DAYS)
    is_quarterly = any(f.form in (*QUARTERLY, "10-K") for f in own)
    if is_quarterly and report.end > last:
        lag, kind = _find_lag(own, known, newest_end)
        return Expected(shift_day(_find_next_end(newest_end), lag), lag, kind)
    told = _find_day_told(report, known)
    return Expected(shift_day(told, YEAR_DAYS), 0, _name_kind(report, told))


def find_day_told(announced: Sequence[Filing], found: Fundamentals) -> str:
    """Return the first day on which results of a period after the newest figures were announced; empty if none were.

    An announcement is of a later period if it came after the filings of the figures, and a quarter or more after their last day.
    """
    ended = shift_day(found.newest_end, QUARTER_DAYS + SOONEST_DAYS)
    return min((f.filed for f in announced if f.filed > max(found.filed, ended)), default="")


def _find_day_told(report: Filing, known: Sequence[Filing]) -> str:
    """Return the day on which a report’s results were first published: by an 8-K or, without one, by the report."""
    told = [f.filed for f in known if f.form == "8-K" and RESULTS in f.items.split(",")]
    return min((day for day in told if report.end < day <= report.filed), default=report.filed)


def _name_kind(report: Filing, told: str) -> ResultsKind:
    """Return `results` if the results were published before the day of their report, else `report`."""
    return "report" if told == report.filed else "results"


def _find_lag(
    own: Sequence[Filing], known: Sequence[Filing], newest_end: str
) -> tuple[int, ResultsKind]:
    """Return the days from a quarter's end to its results, by the newest report of its form; without one the deadline.

    The delay of an annual report says nothing on a quarterly one, which a large filer has to file within 40 days.
    """
    end = parse_day(_find_next_end(newest_end))
    years = [f for f in own if f.form in ANNUAL]
    is_year = any(_is_same_day_of_year(parse_day(f.end), end) for f in years)
    form = years if is_year else [f for f in own if f.form in QUARTERLY]
    same = max(form, key=lambda filing: filing.end, default=None)
    if same is None:
        return QUARTERLY_DEADLINE, "deadline"
    told = _find_day_told(same, known)
    return (parse_day(told) - parse_day(same.end)).days, _name_kind(same, told)


def _find_next_end(end: str) -> str:
    """Return the last day of the next quarter: a month's last day follows a month's last day, else thirteen weeks."""
    day = parse_day(end)
    if day.month == (day + timedelta(days=1)).month:
        return shift_day(end, QUARTER_DAYS)
    year, month = divmod(day.year * 12 + day.month + QUARTER_MONTHS, 12)
    return (date(year, month + 1, 1) - timedelta(days=1)).isoformat()


def _is_same_day_of_year(one: date, other: date) -> bool:
    """Return whether two days are about whole years apart."""
    apart = abs((one - other).days) % YEAR_LENGTH
    return min(apart, YEAR_LENGTH - apart) <= SINCE_DAYS
