"""Whether results after a company's newest figures are out or due, and were not read."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.unread_results import find_unread

QUARTER: dict[str, Any] = {"next_results": "2026-10-14"}
YEARLY = {"interval": "year", "is_foreign": True, "next_results": "2027-02-20"}


def found(**told: Any) -> Fundamentals:
    company = Company(cik=1, ticker="ACME", name="Acme")
    base = {"company": company, "figures": [], "newest_end": "2026-06-28", "filed": "2026-07-15"}
    return Fundamentals.model_validate(base | told)


@pytest.mark.parametrize(
    ("told", "day", "state", "since", "periods"),
    [
        (QUARTER, "2026-11-29", "due", "2026-10-14", 1),
        (QUARTER, "2027-02-20", "due", "2026-10-14", 2),
        (QUARTER | {"results_told": "2026-10-15"}, "2026-11-29", "out", "2026-10-15", 1),
        (QUARTER | {"results_told": "2026-10-12"}, "2026-10-13", "out", "2026-10-12", 1),
        (YEARLY, "2026-11-29", "interim", "2026-06-28", 1),
        ({}, "2027-01-30", "due", "2026-12-28", 1),  # no filing list tells when results are due
        ({"interval": "half_year"}, "2027-04-30", "due", "2027-03-30", 1),
    ],
    ids=["due", "two due", "out and due", "out early", "yearly alone", "stale", "stale half-year"],
)
def test_results_that_are_out_or_due_are_named_with_their_day(
    told: dict[str, Any], day: str, state: str, since: str, periods: int
) -> None:
    unread = find_unread(found(**told), day)
    assert unread
    assert (unread.state, unread.since, unread.periods) == (state, since, periods)
    assert unread.bars_verdict is (periods > 1)


@pytest.mark.parametrize(
    ("told", "day"),
    [
        (QUARTER, "2026-10-14"),
        (YEARLY, "2026-11-10"),
        (YEARLY | {"is_foreign": False}, "2026-11-29"),
        (YEARLY | {"interval": "half_year"}, "2026-11-29"),
        (QUARTER, ""),
        ({"newest_end": ""}, "2026-11-29"),
    ],
)
def test_none_are_unread_before_they_are_due_or_without_a_day(
    told: dict[str, Any], day: str
) -> None:
    assert find_unread(found(**told), day) is None
