"""The periods that notes cover: which are the newest, what they are called, and their amounts."""

from collections.abc import Iterator

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.periods import QUARTERS_A_YEAR
from domain.company.figures.filed.series import Amount

YEARS = 4
QUARTERS = 8
"""Shown, newest first."""
DOMINANT_SHARE = 0.5
"""A quarter caused a change if it contributed more than this share."""
GROWTH_POINTS = 10.0
"""Name the responsible quarter when free cash flow and operating income grow by more points apart than this."""
UNUSUAL = 0.1
"""A movement is noted if it is at least this share of free cash flow, an acquisition of revenue."""


def name_period(length: Period, end: str) -> Notice:
    """Return a period's name, with its last day."""
    return Notice.of(f"period-{length.replace('_', '-')}", "info", end=end)


def list_newest(accounts: Accounts) -> Iterator[tuple[Period, str]]:
    """Yield the newest twelve months, quarter or half year, and fiscal year; a year that is the twelve months only once."""
    quarters, years = accounts.calendar.quarters, [year.end for year in accounts.calendar.years]
    for quarter in quarters[:1]:
        if not accounts.lacks_twelve_months(quarter):
            yield "ttm", quarter
        if accounts.shows_to_date(quarter):
            yield "to_date", quarter
        if accounts.calendar.interval != "half_year":
            yield "quarter", quarter
    for year in years[:1] if years[:1] != quarters[:1] else ():
        yield "year", year


def list_spans(accounts: Accounts) -> list[tuple[Period, str]]:
    """Return the newest periods, and the months of the last fiscal year that are known in sum alone."""
    year = find_remainder_year(accounts)
    rest: list[tuple[Period, str]] = [("remainder", year)] if year else []
    return [*list_newest(accounts), *rest]


def find_remainder_year(accounts: Accounts) -> str:
    """Return the end of the newest fiscal year, if what its filed quarters leave of it is several quarters in sum."""
    end = next((year.end for year in accounts.calendar.years), "")
    return end if end and accounts.calendar.find_remainder_start(end) else ""


def get_all(accounts: Accounts, length: Period, end: str, *names: str) -> list[Amount]:
    """Return the metrics of a period; empty where one of them, or the period, is not known."""
    found = [accounts.get(length, name, end) for name in names]
    known = [amount for amount in found if amount]
    return known if len(known) == len(names) else []


def list_changes(accounts: Accounts, end: str, name: str) -> dict[str, float]:
    """Return by how much a metric differs from a year before in each of the four quarters to a day."""
    changes: dict[str, float] = {}
    while end and len(changes) < QUARTERS_A_YEAR:
        before = accounts.calendar.find_year_before(end)
        now, then = (get_all(accounts, "quarter", day, name) for day in (end, before))
        if not now or not then:
            return {}
        changes[end] = now[0].value - then[0].value
        end = accounts.calendar.find_quarter_before(end)
    return changes if len(changes) == QUARTERS_A_YEAR else {}
