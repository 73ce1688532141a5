"""Which filings are read, and when the next are due."""

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company, Filing
from domain.company.filings.selection import expect_results, find_day_told


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
    assert expect_results(REPORTS, "2025-12-27") == ("2026-04-30", 0, "results")


def test_without_an_announcement_they_are_due_with_the_report() -> None:
    reports = [each for each in REPORTS if each.form != "8-K"]
    assert expect_results(reports, "2025-12-27") == ("2026-05-01", 0, "report")


def test_company_that_reports_once_a_year_is_due_after_a_year() -> None:
    yearly = [filing("20-F", f"{n + 1}-04-16", f"{n}-12-31") for n in (2024, 2023)]
    assert expect_results(yearly, "2024-12-31") == ("2026-04-15", 0, "report")


def test_nothing_is_expected_by_what_is_not_known_or_was_filed_later() -> None:
    assert expect_results([], "2025-12-27") == ("", 0, "results")
    assert expect_results(REPORTS, "2025-12-27", "2025-04-01") == ("", 0, "results")


@pytest.mark.parametrize(
    ("reports", "end", "due"),
    [
        (
            [("10-K", "2010-02-26", "2009-12-31"), ("10-Q", "2010-05-07", "2010-03-31")],
            "2010-03-31",
            ("2010-08-06", 37, "report"),
        ),
        ([("10-Q", "2025-07-24", "2025-06-30")], "2025-06-30", ("2025-10-24", 24, "report")),
        ([("10-K", "2024-11-13", "2024-09-30")], "2024-09-30", ("2025-02-09", 40, "deadline")),
        (
            [("10-K", "2025-02-20", "2024-12-31"), ("10-Q", "2025-11-05", "2025-09-30")],
            "2025-09-30",
            ("2026-02-19", 0, "report"),
        ),
    ],
    ids=["quarter", "single 10-Q", "10-Q after a 10-K alone", "fiscal year"],
)
def test_without_the_report_of_a_year_before_the_filers_own_delay_tells_the_day(
    reports: list[tuple[str, str, str]], end: str, due: tuple[str, int, str]
) -> None:
    assert expect_results([filing(*each) for each in reports], end) == due


def test_delay_of_an_annual_report_says_nothing_on_a_quarterly_one() -> None:
    """Alphabet's came 36 days after its year, and were told a week before: a quarter's deadline is 40 days."""
    years = [filing("10-K", "2025-02-05", "2024-12-31")]
    assert expect_results(years, "2024-12-31") == ("2025-05-10", 40, "deadline")
    told = [
        *years,
        filing("10-Q", "2024-10-30", "2024-09-30"),
        filing("8-K", "2024-10-29", "", "2.02"),
    ]
    assert expect_results(told, "2024-12-31") == ("2025-04-29", 29, "results")


@pytest.mark.parametrize(
    ("end", "due"),
    [
        ("2024-12-31", "2025-05-10"),
        ("2025-03-31", "2025-08-09"),
        ("2024-11-30", "2025-04-09"),
        ("2025-01-31", "2025-06-09"),
        ("2024-12-28", "2025-05-08"),
    ],
    ids=["90 days", "91 days", "to February", "to April", "weeks"],
)
def test_delay_is_counted_from_the_true_end_of_the_next_quarter(end: str, due: str) -> None:
    reports = [filing("10-K", "2025-12-31", end)]
    assert expect_results(reports, end) == (due, 40, "deadline")


@pytest.mark.parametrize(
    ("announced", "day"),
    [
        (["2026-01-29"], ""),  # the results that the figures are of
        (["2026-04-02"], ""),  # the next quarter has just ended
        (["2026-04-30", "2026-01-29"], "2026-04-30"),
        (["2026-07-30", "2026-04-30"], "2026-04-30"),
    ],
)
def test_results_of_a_later_period_are_out_once_they_are_announced(
    announced: list[str], day: str
) -> None:
    company = Company(cik=1, ticker="ACME", name="Acme")
    found = Fundamentals(company=company, figures=[], newest_end="2025-12-27", filed="2026-01-30")
    told = [filing("8-K", each, items="2.02") for each in announced]
    assert find_day_told(told, found) == day


def test_late_results_are_not_taken_for_those_of_a_later_period() -> None:
    """A yearly filer that announces its year after more than a quarter files it in the same weeks."""
    company = Company(cik=1, ticker="ACME", name="Acme")
    found = Fundamentals(company=company, figures=[], newest_end="2025-12-31", filed="2026-04-28")
    assert not find_day_told([filing("6-K", "2026-04-20")], found)
    assert find_day_told([filing("6-K", "2026-05-20")], found) == "2026-05-20"
