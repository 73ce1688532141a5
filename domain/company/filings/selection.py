"""Selection of the filings to read: the latest of each kind with a known document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.company.filings import Filing
from domain.company.figures.filed.periods import shift_day

ANNUAL = ("10-K", "20-F", "40-F", "10-KT")
QUARTERLY = ("10-Q",)
FOREIGN, NOTICE = ("20-F", "40-F"), "6-K"
RESULTS = "2.02"
"""The item of an 8-K under which results are announced."""
YEAR_DAYS, SINCE_DAYS = 364, 30
"""Fifty-two weeks keep the day of the week; a period that ends so soon after another is the same."""
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
    """The 8-K with results; for a foreign company its latest 6-Ks, one of which may contain them."""


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


def expect_results(filings: Sequence[Filing], newest_end: str, as_of: str | None = None) -> str:
    """Estimate when the results after `newest_end` are due: 52 weeks after those of a year before.

    Results come with their 8-K or, without one, with the report. Return an empty string if that year's report
    is unknown.
    """
    known = [f for f in filings if as_of is None or f.filed <= as_of]
    year_before = shift_day(newest_end, SINCE_DAYS - YEAR_DAYS)
    reports = [f for f in known if f.form in (*ANNUAL, *QUARTERLY) and f.end > year_before]
    report = min(reports, key=lambda filing: (filing.end, filing.filed), default=None)
    if report is None:
        return ""
    told = [f.filed for f in known if f.form == "8-K" and RESULTS in f.items.split(",")]
    first = min((day for day in told if report.end < day <= report.filed), default=report.filed)
    return shift_day(first, YEAR_DAYS)
