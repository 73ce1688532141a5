"""Whether results after a company's newest figures are out or due on a day, by its own reporting interval."""

from contracts.company.figures import Fundamentals, Interval
from contracts.notices import Notice
from contracts.report.unread_results import UnreadResults
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.periods import shift_day

MAX_AGE_DAYS: dict[Interval, int] = {"quarter": 183, "half_year": 275, "year": 490}
"""Figures older than this are stale: two quarters, or the interval and the time allowed for filing."""
INTERVAL_DAYS: dict[Interval, int] = {"quarter": 91, "half_year": 182, "year": 364}
"""Days between results, in whole weeks."""
MIN_LAG_DAYS = 14
"""Between a period's end and its results: they are filed no sooner."""
INTERIM_DAYS = 136
"""A quarter and six weeks, in days: listed companies have published interim results by then."""


def find_unread(found: Fundamentals, day: str) -> UnreadResults | None:
    """Return the results that were published or due by `day` and are missing from the figures.

    Return None if the figures are complete. If no date of the next results is known, they count as due when the
    figures are older than `MAX_AGE_DAYS`.
    """
    if not (found.newest_end and day):
        return None
    due, days = find_first_due(found), INTERVAL_DAYS[found.interval]
    further = (count_days(due, day) - 1) // days if due < day else 0
    more = Notice.of(f"company-{name_interval(found)}s", n=further) if further else None
    if found.results_told and found.results_told <= day:
        told = Notice.of("company-results-out", day=found.results_told, more=more)
        since = found.results_told
        return UnreadResults(state="out", since=since, periods=1 + further, told=told)
    if due < day:
        upcoming = shift_day(due, (further + 1) * days) if found.next_results else None
        told = Notice.of("company-results-late", due=due, more=more, next=upcoming)
        return UnreadResults(state="due", since=due, periods=1 + further, told=told)
    interim = shift_day(found.newest_end, INTERIM_DAYS)
    if found.is_foreign and found.interval == "year" and interim < day:
        told = Notice.of("company-results-interim", end=found.newest_end)
        return UnreadResults(state="interim", since=found.newest_end, told=told)
    return None


def find_first_due(found: Fundamentals) -> str:
    """Return when results after the newest figures are due first.

    `next_results` is a later period's where the report of the same period a year before was not read. Where it is not
    known either, it is the last day on which the figures are not stale.
    """
    if not found.next_results:
        return shift_day(found.newest_end, MAX_AGE_DAYS[found.interval])
    days = INTERVAL_DAYS[found.interval]
    wait = count_days(found.newest_end, found.next_results) - 1 - MIN_LAG_DAYS
    return shift_day(found.next_results, -days * max(0, wait // days - 1))


def name_interval(found: Fundamentals) -> str:
    """Return the reporting interval as codes of notices spell it."""
    return found.interval.replace("_", "-")
