"""What was filed when: nothing from later, the newest of several, other tags, restatements."""

from typing import Any

import pytest

from contracts.company.filings import Company
from contracts.notices import Notice
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.filed.newest_facts_table import list_filed
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    SNOWFLAKE,
    figure,
    find_notices,
    listed,
    of,
    of_sample,
    row,
    spell_line,
    value,
    year,
)

YEARS = [*year(2023, (10, 11, 12, 13)), *year(2024, (20, 22, 24, 26))]


def test_facts_filed_after_as_of_are_ignored() -> None:
    told = listed({REVENUE: YEARS})
    assert value(of(told), "revenue", "ttm", "2024-12-31") == 92
    before = of(told, "2025-02-04")
    assert figure(before, "revenue", "ttm", "2024-12-31") is None
    assert value(before, "revenue", "ttm", "2024-09-30") == 20 + 22 + 24 + 13
    assert max(f.end for f in before.figures) == "2024-09-30"


def test_newest_filing_wins_and_restatement_is_noted() -> None:
    again = row("2023-01-01", "2023-12-31", 44, "2025-02-05", "10-K", "later")
    told = listed({REVENUE: [*YEARS, again]})
    newest = figure(of(told), "revenue", "year", "2023-12-31")
    assert newest is not None
    assert (newest.value, newest.accessions) == (44, ["later"])
    [restated] = find_notices(of(told), "company-restated")
    wanted = {"start": "2023-01-01", "end": "2023-12-31", "old": "2024-02-05", "new": "2025-02-05"}
    assert wanted.items() <= restated.items()
    [line] = restated["lines"]
    assert [line.params[name].params["value"] for name in ("before", "now")] == [46, 44]
    before = of(told, "2025-01-01")
    assert value(before, "revenue", "year", "2023-12-31") == 46
    assert not find_notices(before, "company-restated")


def test_changed_tag_is_followed_and_noted() -> None:
    told = listed({"SalesRevenueNet": YEARS[:4], REVENUE: YEARS[4:]})
    found = of(told)
    assert value(found, "revenue_growth", "year", "2024-12-31") == 100
    [note] = [note for note in found.notes if note.code == "company-tag-changed"]
    old = Notice.of("company-tag", "info", tag="Sales revenue net", end="2023-12-31")
    assert note.includes(old)
    assert note.includes(say_metric("revenue"))
    one = figure(found, "revenue", "year", "2023-12-31")
    assert one is not None
    assert one.tag == "SalesRevenueNet"


def test_tag_in_use_precedes_an_abandoned_one() -> None:
    told = listed({"SalesRevenueNet": [*YEARS[:4]], REVENUE: [*YEARS]})
    one = figure(of(told), "revenue", "year", "2023-12-31")
    assert one is not None
    assert one.tag == REVENUE


def test_contradicting_tag_is_ignored() -> None:
    """Only the annual reports contain total revenue, but all reports contain revenue from customers."""
    quarterly = [fact for fact in YEARS if fact["form"] == "10-Q"]
    customers = [*quarterly, row("2023-01-01", "2023-12-31", 46, "2024-02-05", "10-K")]
    whole = [fact | {"val": 2 * fact["val"]} for fact in YEARS if fact["form"] == "10-K"]
    older = row("2022-01-01", "2022-12-31", 80, "2023-02-05", "10-K")
    found = of(listed({"Revenues": [older, *whole[:1]], REVENUE: customers}))
    assert value(found, "revenue", "ttm", "2024-09-30") == 20 + 22 + 24 + 13
    assert value(found, "revenue", "year", "2023-12-31") == 46
    assert figure(found, "revenue", "year", "2022-12-31") is None


def test_correction_with_a_start_a_day_later_is_a_restatement() -> None:
    again = row("2023-01-02", "2023-12-31", 44, "2025-02-05", "10-K")
    found = of(listed({REVENUE: [*YEARS, again]}))
    assert value(found, "revenue", "year", "2023-12-31") == 44


def test_unreported_metrics_are_noted_as_missing() -> None:
    found = of(listed({REVENUE: YEARS}))
    [note] = [note for note in found.notes if note.code == "company-metrics-missing"]
    assert note.includes(say_metric("operating_income"))
    assert not note.includes(say_metric("revenue"))
    assert figure(found, "net_margin", "year", "2024-12-31") is None


@pytest.mark.parametrize("told", [{}, {"facts": None}, {"facts": {}}, listed({REVENUE: []})])
def test_no_facts_yield_no_figures(told: dict[str, object]) -> None:
    assert of(told).figures == []


def test_facts_all_filed_later_yield_no_figures() -> None:
    assert of(listed({REVENUE: YEARS}), "2020-01-01").figures == []


def test_figures_per_share_before_a_named_split_are_converted() -> None:
    """Four shares for one in October: the year's EPS is of old shares, the next quarter's of new."""
    eps = [
        *(r | {"val": 4.0} for r in year(2023, (1, 1, 1, 1))[3:]),
        row("2023-01-01", "2023-03-31", 0.25, "2024-05-05"),
        row("2024-01-01", "2024-03-31", 0.3, "2024-05-05"),
    ]
    shares = [
        row("2023-01-01", "2023-12-31", 100, "2024-02-05", "10-K"),
        row("2023-01-01", "2023-03-31", 100, "2023-05-05"),
        row("2024-01-01", "2024-03-31", 400, "2024-05-05"),
    ]
    split = row("2024-02-01", "2024-02-01", 4, "2024-05-05")
    told = listed(
        {
            INCOME: [
                *year(2023, (100, 100, 100, 100)),
                row("2024-01-01", "2024-03-31", 120, "2024-05-05"),
            ]
        }
    )
    gaap = told["facts"]["us-gaap"]
    gaap["EarningsPerShareDiluted"] = {"units": {"USD/shares": eps}}
    gaap["WeightedAverageNumberOfDilutedSharesOutstanding"] = {"units": {"shares": shares}}
    gaap["StockholdersEquityNoteStockSplitConversionRatio1"] = {"units": {"pure": [split]}}
    found = of(told)
    assert value(found, "diluted_eps", "quarter", "2024-03-31") == 0.3
    assert value(found, "diluted_eps", "year", "2023-12-31") == 1
    assert value(found, "diluted_shares", "year", "2023-12-31") == 400
    assert value(found, "diluted_eps", "ttm", "2024-03-31") == pytest.approx(1.05)
    assert value(found, "diluted_eps_growth", "quarter", "2024-03-31") == pytest.approx(20)
    assert value(found, "net_income", "ttm", "2024-03-31") == 420
    expected = {"new": 4, "old": 1, "filed": "2024-05-05"}
    assert find_notices(found, "company-split") == [expected]
    whole = figure(found, "diluted_eps", "year", "2023-12-31")
    assert whole
    assert (whole.tag, whole.formula) == (
        "",
        "EarningsPerShareDiluted / 4, for the stock split since",
    )


def test_quarters_on_both_sides_of_a_split_make_no_year() -> None:
    """Seven for one before the last of four quarters, which were each filed for themselves."""
    spans = [("01-01", "03-31"), ("04-01", "06-30"), ("07-01", "09-30"), ("10-01", "12-31")]
    days = [(f"2023-{start}", f"2023-{end}") for start, end in spans]
    told = listed({INCOME: year(2023, (10, 10, 10, 10))})
    gaap = told["facts"]["us-gaap"]
    for tag, unit, values in (
        ("EarningsPerShareDiluted", "USD/shares", (8.26, 14.5, 11.62, 1.28)),
        ("WeightedAverageNumberOfDilutedSharesOutstanding", "shares", (100, 100, 100, 700)),
    ):
        rows = [row(*days[n], value, f"2024-0{n + 1}-05") for n, value in enumerate(values)]
        gaap[tag] = {"units": {unit: rows}}
    found = of(told)
    assert figure(found, "diluted_eps", "ttm", "2023-12-31") is None
    assert value(found, "net_income", "ttm", "2023-12-31") == 40


def test_year_of_old_shares_enters_no_sum_where_its_quarters_were_restated() -> None:
    """A ten-for-one split in Q2: its report restates the quarters of both years, the 10-K does not."""
    flows = [
        *year(2023, (10,) * 4, to_date=True),
        row("2024-01-01", "2024-06-30", 24, "2024-08-05"),
    ]
    told = listed(
        {
            INCOME: flows,
            "NetCashProvidedByUsedInOperatingActivities": flows,
            "PaymentsToAcquirePropertyPlantAndEquipment": [r | {"val": 0} for r in flows],
        }
    )
    shares = [
        row("2023-01-01", "2023-12-31", 10, "2024-02-05", "10-K"),
        row("2023-01-01", "2023-06-30", 100, "2024-08-05"),
        row("2023-04-01", "2023-06-30", 100, "2024-08-05"),
        row("2024-01-01", "2024-06-30", 100, "2024-08-05"),
        row("2024-04-01", "2024-06-30", 110, "2024-08-05"),
    ]
    gaap = told["facts"]["us-gaap"]
    eps = [r | {"val": 20 / r["val"]} for r in shares]
    gaap["EarningsPerShareDiluted"] = {"units": {"USD/shares": eps}}
    gaap["WeightedAverageNumberOfDilutedSharesOutstanding"] = {"units": {"shares": shares}}
    found = of(told)
    assert figure(found, "diluted_eps", "ttm", "2024-06-30") is None
    assert figure(found, "diluted_shares", "ttm", "2024-06-30") is None
    assert value(found, "free_cash_flow", "ttm", "2024-06-30") == 44
    assert figure(found, "fcf_per_share", "ttm", "2024-06-30") is None


def test_cash_flow_per_share_that_nothing_divides_is_told() -> None:
    """Snowflake's quarters file no number of shares that is not of one class."""
    found = of_sample(SNOWFLAKE, "2025-06-30")
    assert figure(found, "fcf_per_share", "ttm", "2025-04-30") is None
    assert find_notices(found, "company-no-diluted-shares") == [{"end": "2025-04-30"}]


def test_effective_tax_rate_shows_the_quarter_of_a_one_off() -> None:
    """Apple paid for the State Aid ruling in its fourth quarter of 2024: 14,874 of 29,610 before tax."""
    figures = of_sample(APPLE).figures
    told = [f for f in figures if (f.metric, f.period) == ("effective_tax_rate", "quarter")]
    rates = {f.end: f.value for f in told}
    assert round(rates.pop("2024-09-28"), 2) == round(100 * 14_874 / 29_610, 2)
    assert len(rates) == 7
    assert all(14 < rate < 18 for rate in rates.values())


def test_what_a_split_alone_changed_is_told_once() -> None:
    """Apple's earnings per share of 2019 were divided by four; its cash flow and depreciation of 2017 were restated."""
    found = of_sample(APPLE, "2021-06-30")
    assert [split["new"] for split in find_notices(found, "company-split")] == [4]
    restated = find_notices(found, "company-restated")
    assert {spell_line(line.params["tag"]) for each in restated for line in each["lines"]} == {
        "Net cash provided by used in operating activities",
        "Depreciation depletion and amortization",
    }


def test_restatements_of_a_period_are_one_note_in_units_that_people_read() -> None:
    """Tesla's second quarter of 2024, restated a year later for its bitcoin."""
    amounts = {
        INCOME: (1_478e6, 1_400e6, "USD"),
        "EarningsPerShareDiluted": (0.42, 0.4, "USD/shares"),
        "WeightedAverageNumberOfDilutedSharesOutstanding": (3_481e6, 3_490e6, "shares"),
    }
    told: dict[str, Any] = {}
    for tag, (before, now, unit) in amounts.items():
        filed = ((before, "2024-07-24"), (now, "2025-07-24"))
        rows = [row("2024-04-01", "2024-06-30", amount, day) for amount, day in filed]
        told |= listed({tag: rows}, unit)["facts"]["us-gaap"]
    [note] = find_notices(of({"facts": {"us-gaap": told}}), "company-restated")
    shown = {
        spell_line(line.params["tag"]): [line.params[n].say("en") for n in ("before", "now")]
        for line in note["lines"]
    }
    assert shown["Net income loss"] == ["1.48 billion USD", "1.4 billion USD"]
    assert shown["Earnings per share diluted"] == ["0.42 USD", "0.4 USD"]
    counts = shown["Weighted average number of diluted shares outstanding"]
    assert counts == ["3.48 billion shares", "3.49 billion shares"]


def test_one_day_that_a_new_rule_restates_drops_no_tag() -> None:
    """Apple's deferred revenue of 2018-09-29 is 10.3 billion, and 8.8 billion under ASC 606."""
    before = of_sample(APPLE, "2019-08-15")
    assert value(before, "deferred_revenue", "instant", "2019-06-29") == 8e9
    year_before = value(before, "deferred_revenue", "instant", "2018-06-30")
    assert year_before == (7_403 + 2_878) * 1e6
    assert value(before, "deferred_revenue_growth", "instant", "2019-06-29") is None, "rounded"


def test_deferred_revenue_without_its_current_part_is_not_told() -> None:
    later = [row("", "2024-12-31", 3, "2025-02-05", "10-K")]
    found = of(listed({REVENUE: YEARS, "ContractWithCustomerLiabilityNoncurrent": later}))
    assert figure(found, "deferred_revenue", "instant", "2024-12-31") is None


def test_shares_filed_in_thousands_give_way_to_those_of_the_cover() -> None:
    """Apple's 10-Q of April 2014 tags 861,745 shares on its balance sheet."""
    before = of_sample(APPLE, "2014-05-15")
    shares = [f for f in before.figures if f.metric == "shares_outstanding"]
    assert max(shares, key=lambda f: f.end).value == 861_381_000
    assert min(f.value for f in shares) == 861_381_000, "a year before there were 940 million"


@pytest.mark.parametrize(("today", "newest"), [("2026-11-28", 7), ("", 9)])
def test_fact_filed_after_the_runs_day_is_ignored(today: str, newest: float) -> None:
    span = ("2023-01-01", "2023-12-31")
    rows = [row(*span, 7, "2024-02-05", "10-K"), row(*span, 9, "2924-02-05", "10-K")]
    told = listed({REVENUE: rows, INCOME: rows})
    company = Company(cik=1, ticker="ACME", name="Acme Corp.")
    found = compute_fundamentals(told, company, today=today)
    assert value(found, "revenue", "year", "2023-12-31") == newest
    assert f"2023-12-31: {newest}" in "\n".join(list_filed(told, found, today))
