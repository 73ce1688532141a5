"""Which filings are read, and when the next are due."""

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
    assert expect_results(REPORTS, "2025-12-27") == "2026-04-30"


def test_without_an_announcement_they_are_due_with_the_report() -> None:
    reports = [each for each in REPORTS if each.form != "8-K"]
    assert expect_results(reports, "2025-12-27") == "2026-05-01"


def test_company_that_reports_once_a_year_is_due_after_a_year() -> None:
    yearly = [filing("20-F", f"{n + 1}-04-16", f"{n}-12-31") for n in (2024, 2023)]
    assert expect_results(yearly, "2024-12-31") == "2026-04-15"


def test_nothing_is_expected_by_what_is_not_known_or_was_filed_later() -> None:
    assert expect_results([], "2025-12-27") == ""
    assert expect_results(REPORTS, "2025-12-27", "2025-04-01") == ""
