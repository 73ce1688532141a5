"""Which filings are read, and when the next are due."""

import pytest

from contracts.company.filings import Filing
from domain.company.filings.selection import expect_results


def filing(form: str, filed: str, end: str = "", items: str = "") -> Filing:
    return Filing(form=form, accession=f"{form}-{filed}", filed=filed, end=end, items=items)


REPORTS = [
    filing("10-Q", "2026-01-30", "2025-12-27"),
    filing("8-K", "2026-01-29", "2026-01-29", "2.02,9.01"),
    filing("10-K", "2025-10-31", "2025-09-27"),
    filing("10-Q", "2025-05-02", "2025-03-29"),
    filing("8-K", "2025-05-01", "2025-05-01", "2.02,9.01"),
    filing("8-K", "2025-04-03", "2025-04-03", "5.02"),
    filing("10-Q", "2025-01-31", "2024-12-28"),
]


def test_next_results_are_due_a_year_after_their_announcement() -> None:
    assert expect_results(REPORTS, "2025-12-27") == ("2026-04-30", 0)


def test_without_an_announcement_they_are_due_with_the_report() -> None:
    reports = [each for each in REPORTS if each.form != "8-K"]
    assert expect_results(reports, "2025-12-27") == ("2026-05-01", 0)


def test_company_that_reports_once_a_year_is_due_after_a_year() -> None:
    yearly = [filing("20-F", f"{n + 1}-04-16", f"{n}-12-31") for n in (2024, 2023)]
    assert expect_results(yearly, "2024-12-31") == ("2026-04-15", 0)


def test_nothing_is_expected_by_what_is_not_known_or_was_filed_later() -> None:
    assert expect_results([], "2025-12-27") == ("", 0)
    assert expect_results(REPORTS, "2025-12-27", "2025-04-01") == ("", 0)


@pytest.mark.parametrize(
    ("reports", "end", "due"),
    [
        (
            [("10-K", "2010-02-26", "2009-12-31"), ("10-Q", "2010-05-07", "2010-03-31")],
            "2010-03-31",
            ("2010-08-06", 37),
        ),
        ([("10-Q", "2025-07-24", "2025-06-30")], "2025-06-30", ("2025-10-23", 24)),
        ([("10-K", "2024-11-13", "2024-09-30")], "2024-09-30", ("2025-02-08", 40)),
        (
            [("10-K", "2025-02-20", "2024-12-31"), ("10-Q", "2025-11-05", "2025-09-30")],
            "2025-09-30",
            ("2026-02-19", 0),
        ),
    ],
    ids=["quarter", "single 10-Q", "10-Q after a 10-K alone", "fiscal year"],
)
def test_without_the_report_of_a_year_before_the_filers_own_delay_tells_the_day(
    reports: list[tuple[str, str, str]], end: str, due: tuple[str, int]
) -> None:
    assert expect_results([filing(*each) for each in reports], end) == due
