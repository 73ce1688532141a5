"""A company's fiscal years and quarters, derived from dates instead of labels."""

import copy
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.company.filings import Company
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.dates import date_figures
from domain.company.figures.filed.metrics import LABELS, name_row, say_metric
from domain.company.figures.filed.periods import shift_day
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.tables.key_figures import build_key_figures
from domain.company.figures.tables.years import build_remainder
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    Row,
    figure,
    find_notices,
    listed,
    of,
    of_sample,
    render_text,
    row,
    value,
    year,
)
from tests.support.words import en

NOTHING, NO_REVENUE = "company-quarters-missing", "company-revenue-missing"
OPERATIONS = "NetCashProvidedByUsedInOperatingActivities"
EQUIPMENT = "PaymentsToAcquirePropertyPlantAndEquipment"
THREE_YEARS = [
    *(r for n, base in ((2022, 10), (2023, 20), (2024, 40)) for r in year(n, (base,) * 4)),
]


def test_fourth_quarter_is_year_less_nine_months() -> None:
    """A 10-K has no quarters, and 10-Qs may contain year-to-date values."""
    without = of(listed({REVENUE: year(2024, (1, 2, 3, 4))}))
    assert value(without, "revenue", "quarter", "2024-12-31") == 4
    quarterly = year(2024, (1, 2, 3, 4))
    nine = row("2024-01-01", "2024-09-30", 6, "2024-11-05")
    found = of(listed({REVENUE: [*quarterly, nine]}))
    assert value(found, "revenue", "quarter", "2024-12-31") == 4


def test_cash_flow_quarters_are_differences_of_year_to_date() -> None:
    told = {
        OPERATIONS: year(2024, (10, 20, 30, 40), to_date=True),
        EQUIPMENT: year(2024, (1, 2, 3, 4), to_date=True),
    }
    found = of(listed(told))
    ends = ("2024-03-31", "2024-06-30", "2024-09-30", "2024-12-31")
    assert [value(found, "free_cash_flow", "quarter", end) for end in ends] == [9, 18, 27, 36]
    last = figure(found, "operating_cash_flow", "quarter", "2024-12-31")
    assert last is not None
    assert last.formula == "year to 2024-12-31 − 9 months to 2024-09-30"
    assert (last.start, last.value) == ("2024-10-01", 40)


def test_filing_labels_do_not_name_the_period() -> None:
    """EDGAR gives last year's comparative this year's `fy` and `fp`."""
    told = listed({REVENUE: THREE_YEARS})
    wrong = copy.deepcopy(told)
    for fact in wrong["facts"]["us-gaap"][REVENUE]["units"]["USD"]:
        if fact["form"] == "10-Q":
            fact.update(fy=1999, fp="Q9")
    assert of(told).figures == of(wrong).figures


@pytest.mark.parametrize(
    ("end", "number", "name"),
    [
        ("2025-01-31", 2025, "FY2025"),
        ("2025-02-01", 2024, "FY2024"),
        ("2025-01-03", 2024, "FY2024"),
        ("2024-09-28", 2024, "FY2024"),
        ("2024-06-30", 2031, "FY2024"),
    ],
)
def test_fiscal_year_has_the_companys_name(end: str, number: int, name: str) -> None:
    """A number that cannot be one is not believed."""
    start = (date.fromisoformat(end) - timedelta(days=363)).isoformat()
    told = listed({REVENUE: [row(start, end, 5, "2025-06-01", "10-K", fy=number)]})
    one = figure(of(told), "revenue", "year", end)
    assert one is not None
    assert one.fiscal == name


def test_year_of_53_weeks_is_noted() -> None:
    found = of_sample(APPLE, "2023-11-30")
    one = figure(found, "revenue", "year", "2023-09-30")
    assert one is not None
    assert (one.start, one.value) == ("2022-09-25", 383_285_000_000)
    assert {"year": "FY2023", "end": "2023-09-30"} in find_notices(found, "company-long-year")
    assert find_notices(found, "company-week-differs")


def test_periods_of_12_and_16_weeks_are_quarters() -> None:
    weeks = (12, 12, 12, 17)
    start, rows = date(2023, 9, 4), []
    first = start
    for n, count in enumerate(weeks):
        end = start + timedelta(weeks=count, days=-1)
        if n < 3:
            filed = (end + timedelta(days=30)).isoformat()
            rows.append(row(start.isoformat(), end.isoformat(), 10 * (n + 1), filed))
            rows.append(row(first.isoformat(), end.isoformat(), (10, 30, 60)[n], filed))
        start = end + timedelta(days=1)
    last = (start - timedelta(days=1)).isoformat()
    rows.append(row(first.isoformat(), last, 100, "2024-11-01", "10-K", fy=2024))
    found = of(listed({REVENUE: rows}))
    quarters = [f for f in found.figures if (f.metric, f.period) == ("revenue", "quarter")]
    assert [f.value for f in quarters] == [40, 30, 20, 10]
    assert [f.fiscal for f in quarters] == [f"FY2024 Q{n}" for n in (4, 3, 2, 1)]


def test_twelve_months_in_a_quarterly_report_are_not_a_fiscal_year() -> None:
    rolling = row("2023-07-01", "2024-06-30", 999, "2024-08-05")
    found = of(listed({REVENUE: [*THREE_YEARS, rolling]}))
    years = [f.end for f in found.figures if (f.metric, f.period) == ("revenue", "year")]
    assert years == ["2024-12-31", "2023-12-31", "2022-12-31"]


def test_growth_exists_for_gains_but_not_for_losses() -> None:
    told = {
        REVENUE: THREE_YEARS,
        INCOME: [*year(2022, (-1,) * 4), *year(2023, (2,) * 4), *year(2024, (-3,) * 4)],
    }
    found = of(listed(told))
    assert value(found, "revenue_growth", "year", "2024-12-31") == 100
    growth = [f for f in found.figures if f.metric == "net_income_growth"]
    assert growth == []
    assert value(found, "net_margin", "year", "2024-12-31") == -7.5


def test_foreign_company_has_figures_in_its_currency() -> None:
    """A 20-F once a year, IFRS, euros, and the newest year also in dollars for convenience."""
    annual = [
        row(f"{n}-01-01", f"{n}-12-31", n - 2000, f"{n + 1}-03-01", "20-F", fy=n)
        for n in (2022, 2023, 2024)
    ]
    told = listed({"Revenue": annual, "ProfitLoss": annual}, "EUR", "ifrs-full")
    dollars = [row("2024-01-01", "2024-12-31", 30, "2025-03-01", "20-F", fy=2024)]
    told["facts"]["ifrs-full"]["Revenue"]["units"]["USD"] = dollars
    found = of(told)
    one = figure(found, "revenue", "ttm", "2024-12-31")
    assert one is not None
    assert (one.value, one.unit, one.tag) == (24, "EUR", "Revenue")
    assert find_notices(found, "company-ifrs") == find_notices(found, "company-years-only") == [{}]
    assert find_notices(found, "company-currency") == [{"currency": "EUR"}]


def test_half_yearly_filer_is_told_so_and_misses_no_quarters() -> None:
    flows = []
    for n in (2022, 2023, 2024):
        flows += [
            row(f"{n}-01-01", f"{n}-06-30", n - 2000, f"{n}-09-01", "6-K"),
            row(f"{n}-01-01", f"{n}-12-31", 3 * (n - 2000), f"{n + 1}-03-01", "20-F", fy=n),
        ]
    flows.append(row("2025-01-01", "2025-06-30", 30, "2025-09-01", "6-K"))
    facts = listed({"Revenue": flows, "ProfitLoss": flows}, "EUR", "ifrs-full")
    found, calendar = of(facts), Accounts(FiledFacts(facts)).calendar
    assert found.interval == "half_year"
    assert [calendar.name_period(day) for day in ("2024-06-30", "2024-12-31")] == [
        "FY2024 H1",
        "FY2024 H2",
    ]
    assert value(found, "revenue", "ttm", "2025-06-30") == 3 * 24 + 30 - 24
    assert find_notices(found, "company-half-years-only") == [{}]
    told = [*(find_notices(found, code) for code in (NOTHING, NO_REVENUE, "company-years-only"))]
    assert told == [[], [], []]


@pytest.mark.parametrize(
    ("interval", "more", "following"),
    [
        ("quarter", Notice.of("company-quarters", n=2), "2025-09-29"),
        ("half_year", Notice.of("company-half-years", n=1), "2025-12-29"),
        ("year", None, "2025-12-29"),
    ],
)
def test_results_that_are_due_are_counted_in_what_the_company_files(
    interval: str, more: Notice | None, following: str
) -> None:
    flows = year(2024, (1,) * 4)
    found = of(listed({REVENUE: flows})).model_copy(
        update={"interval": interval, "next_results": "2024-12-30"}
    )
    dated = date_figures(found, "2025-07-15")
    assert isinstance(late := dated.params["unread"], Notice)
    assert late.params.get("more") == more
    assert late.params["next"] == following


@pytest.mark.parametrize(
    ("end", "due", "first", "more"),
    [
        ("2025-06-29", "2026-02-12", "2025-11-13", 4),
        ("2024-12-31", "2026-02-04", "2025-05-07", 6),
        ("2025-06-29", "2025-10-14", "2025-10-14", 4),
    ],
    ids=["third quarter unread", "years alone read", "read"],
)
def test_results_that_are_due_are_counted_from_the_newest_figures(
    end: str, due: str, first: str, more: int
) -> None:
    """The report of a year before the next period may not have been read: then a later one tells the day."""
    found = of(listed({REVENUE: year(2024, (1,) * 4)}))
    found = found.model_copy(update={"newest_end": end, "next_results": due})
    late = date_figures(found, "2026-11-28").params["unread"]
    assert isinstance(late, Notice)
    assert late.params["due"] == first
    assert late.params["more"] == Notice.of("company-quarters", n=more)


@pytest.mark.parametrize(
    ("interval", "kind", "code"),
    [
        ("quarter", "results", "company-results"),
        ("quarter", "report", "company-due-report"),
        ("quarter", "deadline", "company-due-deadline"),
        ("year", "report", "company-due-year"),
    ],
)
def test_what_is_expected_next_is_called_by_what_it_is(interval: str, kind: str, code: str) -> None:
    """Results are told before their report is filed, and yearly filers' interim days are not known."""
    told = {"interval": interval, "results_kind": kind, "results_lag": 40}
    found = of(listed({REVENUE: year(2024, (1,) * 4)})).model_copy(
        update=told | {"next_results": "2025-05-11"}
    )
    expected = date_figures(found, "2025-02-15").params["results"]
    assert isinstance(expected, Notice)
    assert (expected.code, expected.params["due"]) == (code, "2025-05-11")


def test_figures_of_years_ago_have_an_age_in_years_and_no_results_that_are_due() -> None:
    found = of(listed({REVENUE: year(2024, (1,) * 4)}))
    found = found.model_copy(update={"newest_end": "2010-03-31", "next_results": "2011-02-25"})
    dated = date_figures(found, "2026-11-28").params
    assert dated["age"] == Notice.of("years", "info", n=17)
    assert "results" not in dated


@pytest.mark.parametrize(
    ("interval", "day", "is_stale"),
    [
        ("quarter", "2025-07-15", True),
        ("year", "2025-07-15", False),
        ("year", "2026-06-30", True),
        ("half_year", "2025-07-15", False),
        ("half_year", "2025-11-01", True),
    ],
)
def test_figures_are_stale_once_newer_ones_are_due(interval: str, day: str, is_stale: bool) -> None:
    found = of(listed({REVENUE: year(2024, (1,) * 4)})).model_copy(update={"interval": interval})
    assert ("stale" in date_figures(found, day).params) == is_stale


def test_transition_period_between_fiscal_years_is_named() -> None:
    years = [
        row("2021-01-01", "2021-12-31", 10, "2022-02-05", "10-K", fy=2021),
        row("2022-01-01", "2022-12-31", 11, "2023-02-05", "10-K", fy=2022),
        row("2023-01-01", "2023-06-30", 6, "2023-08-05", "10-KT", fy=2023),
        row("2023-07-01", "2024-06-30", 13, "2024-08-05", "10-K", fy=2024),
    ]
    [told] = find_notices(of(listed({REVENUE: years})), "company-short-year")
    assert (told["start"], told["end"]) == ("2023-01-01", "2023-06-30")
    assert told["months"] == {"n": 6}
    assert find_notices(of(listed({REVENUE: years[:2]})), "company-short-year") == []


@pytest.mark.parametrize(
    "facts",
    [
        {"us-gaap": [1]},
        {"us-gaap": {REVENUE: 5}},
        {"us-gaap": {REVENUE: {"units": ["USD"]}}},
        {"us-gaap": {REVENUE: {"units": {"USD": 7}}}},
        {"us-gaap": {REVENUE: {"units": {"USD": {"end": 1}}}}},
        {"us-gaap": {REVENUE: {"units": {"USD": [None, [], "x", {"end": []}]}}}},
        {"us-gaap": "x", "dei": 3, "ifrs-full": None},
    ],
)
def test_facts_of_another_structure_are_none(facts: dict[str, Any]) -> None:
    assert of({"facts": facts}).figures == []
    sound = listed({REVENUE: year(2023, (1,) * 4)})["facts"]["us-gaap"]
    odd = {"us-gaap": sound | {INCOME: facts["us-gaap"]}, "dei": facts}
    assert value(of({"facts": odd}), "revenue", "year", "2023-12-31") == 4


@pytest.mark.parametrize(
    ("tags", "debt"),
    [
        ({"LongtermBorrowings": 10, "CurrentPortionOfLongtermBorrowings": 2}, 12),
        (
            {
                "LongtermBorrowings": 10,
                "CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings": 3,
            },
            13,
        ),
        ({"NoncurrentPortionOfNoncurrentBondsIssued": 20}, 20),
        (
            {
                "NoncurrentPortionOfNoncurrentBondsIssued": 926.6,
                "CurrentBondsIssuedAndCurrentPortionOfNoncurrentBondsIssued": 57.1,
                "LongtermBorrowings": 31.8,
                "CurrentPortionOfLongtermBorrowings": 59.9,
            },
            1075.4,
        ),
        ({"LongtermBorrowings": 10, "NoncurrentPortionOfNoncurrentBondsIssued": 8}, 10),
        ({"Borrowings": 7}, 7),
    ],
    ids=["portion", "all-current", "bonds", "tsmc-2024", "bonds-within", "whole"],
)
def test_debt_under_ifrs_holds_bonds_beside_borrowings(tags: dict[str, float], debt: float) -> None:
    """Bonds that exceed long-term borrowings cannot be a part of them."""
    flows = [row("2024-01-01", "2024-12-31", 50, "2025-03-01", "20-F", fy=2024)]
    owed = {t: [row("", "2024-12-31", v, "2025-03-01", "20-F")] for t, v in tags.items()}
    found = of(listed({"Revenue": flows, "ProfitLoss": flows, **owed}, "TWD", "ifrs-full"))
    assert value(found, "debt", "instant", "2024-12-31") == pytest.approx(debt)


def test_debt_adds_reported_parts_once() -> None:
    year_end = "2024-12-31"

    def owed(**tags: float) -> float | None:
        rows = {tag: [row("", year_end, v, "2025-02-05", "10-K")] for tag, v in tags.items()}
        return value(of(listed({REVENUE: THREE_YEARS, **rows})), "debt", "instant", year_end)

    assert owed() is None
    assert owed(LongTermDebtCurrent=2, CommercialPaper=1) is None
    assert owed(LongTermDebt=10) == 10
    assert owed(LongTermDebt=12, LongTermDebtNoncurrent=10, LongTermDebtCurrent=2) == 12
    assert owed(LongTermDebtNoncurrent=10, DebtCurrent=5, LongTermDebtCurrent=2) == 15
    assert owed(LongTermDebtNoncurrent=10, LongTermDebtCurrent=2, CommercialPaper=1) == 13
    assert owed(ConvertibleDebtNoncurrent=7) == 7


ROWS = st.fixed_dictionaries(
    {},
    optional={
        "start": st.dates(date(2018, 1, 1), date(2026, 1, 1)).map(str) | st.just("soon"),
        "end": st.dates(date(2018, 1, 1), date(2026, 1, 1)).map(str) | st.none(),
        "val": st.integers(-(10**12), 10**12) | st.just("n/a") | st.none(),
        "accn": st.sampled_from(["a", "b", "c"]),
        "fy": st.integers(2017, 2027) | st.none(),
        "form": st.sampled_from(["10-K", "10-Q", "8-K", "20-F"]),
        "filed": st.dates(date(2018, 1, 1), date(2026, 6, 1)).map(str),
    },
)


@settings(max_examples=15, deadline=None)
@given(st.lists(ROWS, max_size=25), st.sampled_from([None, "2022-01-01"]))
def test_malformed_facts_are_skipped(rows: list[Row], as_of: str | None) -> None:
    """Malformed facts do not crash, and no figure comes from a later filing."""
    found = of(listed({REVENUE: [*rows, *THREE_YEARS[:4]], INCOME: rows}), as_of)
    assert all(one.accessions for one in found.figures)
    assert as_of is None or all(one.end <= "2026-06-01" for one in found.figures)
    assert len(found.model_dump_json()) < 40_000


@settings(max_examples=4, deadline=None)
@given(st.lists(st.integers(1, 10**9), min_size=12, max_size=12))
def test_twelve_months_equal_four_quarters_however_filed(amounts: list[int]) -> None:
    rows = [
        fact
        for n in range(3)
        for fact in year(2022 + n, tuple(amounts[4 * n : 4 * n + 4]), to_date=n % 2 == 0)
    ]
    for as_of, count in (("2024-05-05", 9), ("2024-08-05", 10), ("2024-11-05", 11), (None, 12)):
        found = of(listed({REVENUE: rows}), as_of)
        newest = max(f.end for f in found.figures)
        expected = sum(amounts[count - 4 : count])
        assert value(found, "revenue", "ttm", newest) == expected


def test_quarters_of_which_nothing_or_no_revenue_is_filed_are_noted() -> None:
    rows = [*year(2022, (10,) * 4), *year(2023, (11,) * 4)]
    without = [each for each in rows if each["end"] != "2023-06-30"]
    found = of(listed({REVENUE: without, INCOME: rows}))
    assert find_notices(found, NO_REVENUE) == [{"days": ["2023-12-31", "2023-06-30"]}]
    found = of(listed({REVENUE: without, INCOME: without}))
    between = {"first": "2023-03-31", "last": "2023-09-30", "year": "2023-12-31"}
    assert any(between in _list_spans(note) for note in find_notices(found, NOTHING))
    assert find_notices(found, NO_REVENUE) == [{"days": ["2023-12-31"]}], (
        "the quarters between are of the other note"
    )
    for whole in (of(listed({REVENUE: rows, INCOME: rows})), of(listed({INCOME: rows}))):
        assert find_notices(whole, NO_REVENUE) == find_notices(whole, NOTHING) == []


def test_filer_of_10_qs_is_quarterly_even_if_only_halves_are_known() -> None:
    rows = [
        *(row(f"{y}-01-01", f"{y}-12-31", 4, f"{y + 1}-02-05", "10-K") for y in (2022, 2023)),
        *(row(f"{y}-04-01", f"{y}-06-30", 1, f"{y}-08-05") for y in (2023, 2024)),
    ]
    found = of(listed({REVENUE: rows}))
    assert found.interval == "quarter"
    assert not find_notices(found, "company-half-years-only")


def _file_transition(until: str, start: str, end: str, filed: str) -> list[Row]:
    """Return two years to `until`, by quarters, and a transition report on the months after them."""
    rows = []
    for number in (2021, 2022):
        last = f"{number}{until}"
        days = [shift_day(last, -n) for n in (364, 273, 182, 91)]
        for first, quarter in pairwise(days):
            rows.append(row(first, shift_day(quarter, -1), 100, shift_day(quarter, 35)))
        whole = row(shift_day(last, -364), last, 400, shift_day(last, 50), "10-K")
        rows.append(whole | {"fy": number})
    return [*rows, row(start, end, 170, filed, "10-KT")]


@pytest.mark.parametrize(
    ("until", "start"), [("-07-31", "2022-08-01"), ("-01-31", "2022-02-01")], ids=["5", "11"]
)
def test_transition_period_is_no_year_and_is_noted_from_its_report_on(
    until: str, start: str
) -> None:
    rows = _file_transition(until, start, "2022-12-31", "2023-03-01")
    of_report = of(listed({REVENUE: rows, INCOME: rows}))
    [note] = find_notices(of_report, "company-short-year")
    assert (note["start"], note["end"]) == (start, "2022-12-31")
    assert find_notices(of_report, "company-revenue-missing") == []
    assert figure(of_report, "revenue_growth", "year", "2022-12-31") is None
    assert figure(of_report, "revenue", "quarter", "2022-12-31") is None
    rows += [row("2023-01-01", "2023-03-31", 110, "2023-05-05")]
    of_quarter = of(listed({REVENUE: rows, INCOME: rows}))
    quarter = figure(of_quarter, "revenue", "quarter", "2023-03-31")
    assert quarter
    assert quarter.fiscal == "FY2023 Q1"
    assert figure(of_quarter, "revenue", "ttm", "2023-03-31") is None
    assert len(find_notices(of_quarter, "company-short-year")) == 1


HALF_YEARS = ("2025-01-01", "2025-06-30"), ("2024-01-01", "2024-06-30")
"""Half-years that one report of IBM states beside its quarters; no fiscal year is filed."""
SECOND_QUARTERS = ("2025-04-01", "2025-06-30"), ("2024-04-01", "2024-06-30")
IBM: dict[str, dict[tuple[str, str], float]] = {
    "Revenues": dict(
        zip((*HALF_YEARS, *SECOND_QUARTERS), (31_519, 30_231, 16_977, 15_770), strict=True)
    ),
    OPERATIONS: dict(zip(HALF_YEARS, (6_071, 6_234), strict=True)),
    EQUIPMENT: dict(zip(HALF_YEARS, (454, 459), strict=True)),
}


def _list_of_ibm(**more: list[Row]) -> dict[str, Any]:
    rows = {t: [row(*span, v, "2025-07-24") for span, v in at.items()] for t, at in IBM.items()}
    return listed(rows | more)


def test_year_to_date_stands_in_for_twelve_months_that_are_not_filed() -> None:
    found = of(_list_of_ibm())
    assert value(found, "revenue", "to_date", "2025-06-30") == 31_519
    assert value(found, "free_cash_flow", "to_date", "2025-06-30") == 6_071 - 454
    assert value(found, "free_cash_flow", "to_date", "2024-06-30") == 6_234 - 459
    growth = value(found, "revenue_growth", "to_date", "2025-06-30")
    assert growth == pytest.approx(4.26, abs=0.01)
    months, end = en("months", n=6), "2025-06-30"
    assert f"{LABELS['revenue']}, {months} to {end}: 31,519 USD, 4.3% more" in render_text(found)
    column = en("column-to-date", months=months, end=end)
    assert column in build_key_figures(found, "2026-11-28").columns
    [missing] = find_notices(found, "company-metrics-missing")
    assert say_metric("free_cash_flow") not in missing["metrics"]


def test_first_quarter_is_what_a_half_year_leaves_before_its_second() -> None:
    found = of(_list_of_ibm())
    first = figure(found, "revenue", "quarter", "2025-03-31")
    assert first
    assert (first.value, first.state) == (14_542, "derived")
    assert first.formula == "6 months to 2025-06-30 − 3 months to 2025-06-30"
    assert value(found, "revenue_growth", "quarter", "2025-03-31") == pytest.approx(0.56, abs=0.01)
    assert not figure(found, "free_cash_flow", "quarter", "2025-03-31"), "no quarter of it is filed"
    shares = "WeightedAverageNumberOfDilutedSharesOutstanding"
    rows = [
        row(*span, v, "2025-07-24") for span, v in ((HALF_YEARS[0], 946), (SECOND_QUARTERS[0], 948))
    ]
    counted = _list_of_ibm()
    counted["facts"]["us-gaap"][shares] = {"units": {"shares": rows}}
    assert not figure(of(counted), "diluted_shares", "quarter", "2025-03-31"), (
        "an average is no sum"
    )


def _list_of_bank(*, moved: float = 0) -> dict[str, Any]:
    """Return facts of a year and the quarters that begin it and the next, in millions, as a first 10-Q and 10-K state them."""
    spans = ("2009-01-01", "2009-12-31"), ("2010-01-01", "2010-03-31"), ("2009-01-01", "2009-03-31")
    values = {
        "InterestIncomeExpenseNet": (46_324, 11_147, 11_376),
        "NoninterestIncome": (42_362, 10_301, 9_641),
        "Revenues": (88_686, 21_448, 21_017),
        "ProvisionForLoanAndLeaseLosses": (21_668, 5_330, 4_558),
    }
    forms = ("10-K", "10-Q", "10-Q")
    rows: dict[str, list[Row]] = {
        tag: [
            row(*span, 1e6 * v, "2010-05-07" if form == "10-Q" else "2010-02-26", form)
            for span, v, form in zip(spans, found, forms, strict=True)
        ]
        for tag, found in values.items()
    }
    rows["Deposits"] = [row("", "2010-03-31", 804_893e6, "2010-05-07")]
    rows["Assets"] = [
        row("", day, 1_223_630e6, "2010-05-07") for day in ("2010-03-31", "2009-12-31")
    ]
    rows["AssetsHeldForSaleAtCarryingValue"] = [row("", "2010-03-31", moved * 1e6, "2010-05-07")]
    return listed(rows)


def test_quarters_of_a_year_that_no_filing_states_are_known_in_sum() -> None:
    found = of(_list_of_bank())
    rest = figure(found, "credit_provision", "remainder", "2009-12-31")
    assert rest
    assert (rest.value, rest.start, rest.state) == (17_110e6, "2009-04-01", "derived")
    assert rest.formula == "year to 2009-12-31 − 3 months to 2009-03-31"
    grid = build_remainder(found)
    assert grid is not None
    cells = dict(grid.rows)[name_row("credit_provision", ())]
    assert [cell.note for cell in cells] == ["", "5,703.3", "-6.5%", ""]
    assert "| 17,110 | 5,703.3 | -6.5% | 5,330 |" in render_text(found)
    [note] = find_notices(found, "company-turned")
    assert (note["growth"], note["change"], note["n"]) == (16.9, -6.5, 3)
    [gap] = find_notices(found, NOTHING)
    between = {"first": "2009-03-31", "last": "2009-12-31", "year": "2009-12-31"}
    assert _list_spans(gap)[0] == between


def test_quarters_with_discontinued_operations_are_not_set_against_one_without() -> None:
    """6 of the 10 that the last nine months earned were of a business sold since: 8 is no growth on an average."""
    spans = (
        ("2009-01-01", "2009-12-31"),
        ("2010-01-01", "2010-03-31"),
        ("2009-01-01", "2009-03-31"),
    )

    def file(values: tuple[float, float, float]) -> list[Row]:
        filed = (("2010-02-26", "10-K"), ("2010-05-07", "10-Q"), ("2010-05-07", "10-Q"))
        pairs = zip(spans, values, filed, strict=True)
        return [row(*span, 1e6 * value, *how) for span, value, how in pairs]

    flows = {"Revenues": (400, 110, 100), INCOME: (12, 8, 2)}
    sold = "IncomeLossFromDiscontinuedOperationsNetOfTax"
    plain, divided = (
        of(listed({tag: file(each) for tag, each in (flows | more).items()}))
        for more in ({}, {sold: (6, 0, 0)})
    )
    for found, change in ((plain, "140.0%"), (divided, en("cell-does-not-apply"))):
        grid = build_remainder(found)
        assert grid is not None
        cells = dict(grid.rows)[name_row("net_income", ())]
        assert [cell.note for cell in cells] == ["", "3.3", change, ""]


@pytest.mark.parametrize(("moved", "is_shown"), [(0, True), (400_000, False)])
def test_rest_of_a_year_before_businesses_were_put_up_for_sale_has_no_revenue_without_gains(
    moved: float, *, is_shown: bool
) -> None:
    """It is a sum of others, computed from the year's and the quarter's own."""
    facts = _list_of_bank(moved=moved)
    us_gaap = facts["facts"]["us-gaap"]
    us_gaap["GainLossOnInvestments"] = us_gaap.pop("NoninterestIncome")
    company = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=6311)
    found = compute_fundamentals(facts, company)
    rest = figure(found, "revenue_before_investment_gains", "remainder", "2009-12-31")
    assert (rest is not None) is is_shown


def test_quarter_is_not_set_against_quarters_that_were_near_zero() -> None:
    """21,668 in the year and 21,608 in its first quarter leave 20 a quarter, beside 22,556 of revenue: 5,330 is no growth.

    300 a quarter, from 20,768, are a base, and 5,330 is 1,676.7 % more.
    """
    facts = _list_of_bank()
    [*_, before] = facts["facts"]["us-gaap"]["ProvisionForLoanAndLeaseLosses"]["units"]["USD"]
    shown = {
        21_608e6: ["", "20.0", en("cell-tiny-base"), ""],
        20_768e6: ["", "300.0", "1,676.7%", ""],
    }
    for quarter, notes in shown.items():
        before["val"] = quarter
        grid = build_remainder(of(facts))
        assert grid is not None
        cells = dict(grid.rows)[name_row("credit_provision", ())]
        assert [cell.note for cell in cells] == notes


def test_sum_of_quarters_across_businesses_put_up_for_sale_is_withheld() -> None:
    found = of(_list_of_bank(moved=256_440))
    assert not figure(found, "revenue", "remainder", "2009-12-31")
    assert not figure(found, "credit_provision", "remainder", "2009-12-31")


def test_sum_of_quarters_is_not_shown_where_each_is_known() -> None:
    rows = [*year(2023, (10,) * 4), *year(2024, (11,) * 4)]
    assert not [f for f in of(listed({REVENUE: rows})).figures if f.period == "remainder"]


def test_balance_sheet_grows_from_the_end_of_the_last_year() -> None:
    days = {"2024-12-31": 54_943, "2025-06-30": 64_163}
    debt = [row("", day, v, "2025-07-24") for day, v in days.items()]
    found = of(_list_of_ibm(Liabilities=debt, Assets=debt))
    growth = figure(found, "assets_growth", "instant", "2025-06-30")
    assert growth
    assert growth.value == pytest.approx(16.78, abs=0.01)
    assert growth.formula == "against 2024-12-31"
    assert "16.8% more than on 2024-12-31" in render_text(found)
    grid = build_key_figures(found, "2025-07-31")
    head = en("column-before-quarter", end="2024-12-31")
    row_of = dict(grid.rows)[name_row("assets", ())]
    assert [
        c.row and c.row.value for c, h in zip(row_of, grid.columns, strict=True) if h == head
    ] == [54_943]


def test_year_to_date_is_not_shown_beside_twelve_months() -> None:
    rows = [*year(2023, (10,) * 4), *year(2024, (11,) * 4, to_date=True)[:2]]
    assert not [f for f in of(listed({REVENUE: rows})).figures if f.period == "to_date"]


def test_balance_on_which_a_year_to_date_began_is_shown() -> None:
    """IBM files its short-term debt under two tags of slightly different width: it is counted once."""
    debts = {
        "LongTermDebtNoncurrent": 49_884,
        "LongTermDebtAndCapitalLeaseObligationsCurrent": 5_059,
        "ShortTermBorrowings": 5_089,
    }
    balance = {tag: [row("", "2024-12-31", v, "2025-07-24")] for tag, v in debts.items()}
    found = of(_list_of_ibm(**balance))
    assert value(found, "debt", "instant", "2024-12-31") == 49_884 + 5_059


def _list_spans(note: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: each for name, each in span.params.items() if each} for span in note["spans"]]


def test_quarters_without_figures_are_said_to_be_in_a_filed_period_that_holds_all_of_them() -> None:
    """IBM's six months to June 2025 begin in January: they hold no quarter of 2024."""
    [note] = find_notices(of(_list_of_ibm()), NOTHING)
    assert _list_spans(note) == [{"first": "2024-06-30", "last": "2025-03-31"}]
    rows = [
        *year(2022, (10,) * 4)[3:],
        *year(2023, (11,) * 4),
        row("2024-07-01", "2024-09-30", 12, "2024-11-05"),
        row("2024-01-01", "2024-09-30", 36, "2024-11-05"),
        row("2023-01-01", "2023-09-30", 33, "2023-11-05"),
    ]
    [note] = find_notices(of(listed({REVENUE: rows})), NOTHING)
    [months] = [each for each in _list_spans(note) if each["last"] == "2024-09-30"]
    assert (months["end"], months["months"].params) == ("2024-09-30", {"n": 9})


def test_fiscal_year_without_any_quarter_holds_all_of_them() -> None:
    rows = [*year(2021, (9,) * 4)[3:], *year(2022, (10,) * 4)[3:], *year(2023, (11,) * 4)]
    [note] = find_notices(of(listed({REVENUE: rows})), NOTHING)
    between = {"first": "2021-12-31", "last": "2022-12-31", "whole": "2022-12-31"}
    assert between in _list_spans(note)


VORNADO: dict[str, list[float]] = {
    "NetIncomeLossAvailableToCommonStockholdersBasic": [49_093, 200_285, 125_841],
    "NetIncomeLoss": [106_153, 214_499, 140_111],
    "EarningsPerShareDiluted": [0.28, 1.09, 0.80],
    "WeightedAverageNumberOfDilutedSharesOutstanding": [173_503, 183_445, 157_103],
    "CommonStockDividendsPerShareDeclared": [3.20, 0.65, 0.95],
    "DepreciationAndAmortization": [531_637, 135_824, 130_000],
}
"""Filed by a property company of 2009, and of the first quarters of 2010 and 2009; amounts and shares in thousands."""


def _list_of_vornado(**changed: list[float]) -> dict[str, Any]:
    spans = (
        ("2009-01-01", "2009-12-31", "2010-02-23", "10-K"),
        ("2010-01-01", "2010-03-31", "2010-05-04", "10-Q"),
        ("2009-01-01", "2009-03-31", "2010-05-04", "10-Q"),
    )
    facts: dict[str, Any] = {"facts": {"us-gaap": {}}}
    for tag, values in (VORNADO | changed).items():
        rows = [row(s, e, v, f, form) for (s, e, f, form), v in zip(spans, values, strict=True)]
        is_share = "PerShare" in tag
        unit = "USD/shares" if is_share else "shares" if "Shares" in tag else "USD"
        facts["facts"]["us-gaap"] |= listed({tag: rows}, unit)["facts"]["us-gaap"]
    return facts


def test_values_of_a_year_before_are_shown_beside_the_newest_quarter() -> None:
    """A dividend cut within the year, and the shares issued since, are seen in the quarters alone."""
    found = of(_list_of_vornado())
    assert value(found, "dividends_per_share", "quarter", "2009-03-31") == 0.95
    assert value(found, "diluted_shares", "quarter", "2009-03-31") == 157_103
    for name, growth in (("dividends_per_share", -31.6), ("diluted_shares", 16.8)):
        told = value(found, f"{name}_growth", "quarter", "2010-03-31")
        assert told == pytest.approx(growth, abs=0.1)
    row = name_row("dividends_per_share", ["USD/shares"])
    assert f"| {row} | 0.65 |" in render_text(found)


def test_growth_is_shown_wherever_both_years_are_filed() -> None:
    tags = ("NetIncomeLoss", "OperatingIncomeLoss", "ProvisionForLoanAndLeaseLosses")
    years = [
        row(f"{y}-01-01", f"{y}-12-31", 100 + y % 2020, "2025-02-05", "10-K")
        for y in range(2021, 2025)
    ]
    found = of(listed(dict.fromkeys(tags, years)))
    for end in ("2024-12-31", "2023-12-31"):
        assert value(found, "operating_income_growth", "year", end) is not None


def test_eps_of_twelve_months_divides_where_the_number_of_shares_changed() -> None:
    found = of(_list_of_vornado())
    eps = value(found, "diluted_eps", "ttm", "2010-03-31")
    shares = (173_503 * 365 + 183_445 * 90 - 157_103 * 90) / 365
    assert eps == pytest.approx((49_093 + 200_285 - 125_841) / shares, abs=0.001)


def test_cost_of_a_quarter_a_year_before_stands_beside_the_newest() -> None:
    spans = (("2025-04-01", "2025-06-30"), ("2024-04-01", "2024-06-30"))
    flows = {"Revenues": (16_977, 15_770), "CostOfRevenue": (7_001, 6_820)}
    rows = {
        tag: [row(*span, v, "2025-07-24") for span, v in zip(spans, values, strict=True)]
        for tag, values in flows.items()
    }
    found = of(listed(rows))
    assert value(found, "cost_of_revenue", "quarter", "2024-06-30") == 6_820
