"""The data file of metrics: what of each is read, and where its figures are shown."""

import re

import pytest

from contracts.words import CATALOGUES
from domain.company.figures.figures_page import list_lines
from domain.company.figures.filed.metrics import (
    LABELS,
    METRICS,
    TERM,
    say_metric,
)
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    listed,
    of,
    of_sample,
    row,
)


@pytest.mark.parametrize("name", METRICS)
def test_formulas_and_conditions_name_metrics_and_end(name: str) -> None:
    """A formula that led back to its own metric would never end."""

    def list_needed(metric: str) -> set[str]:
        own = METRICS[metric]
        terms = {term for formula in own.formulas for _, term, _ in TERM.findall(formula)}
        others = {*own.unless, *own.only_beside, *own.totals, *own.conflicts}
        return (
            terms
            | others
            | {*filter(None, [own.checked_by, own.above, own.average_of, own.instead_of])}
        )

    reached: set[str] = set()
    ahead = list_needed(name)
    while ahead:
        reached |= ahead
        ahead = {each for known in ahead for each in list_needed(known)} - reached
    assert name not in reached
    own = METRICS[name]
    assert own.tags or own.formulas or own.priced or own.average_of or own.by_code


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.unit == "money"])
def test_payments_are_read_without_a_minus(name: str) -> None:
    """Filers of partnerships, among others, file what they pay out as negative amounts."""
    tags = [tag for own in METRICS[name].tags.values() for tag in own]
    payment = re.compile(r"Payments(?!ForProceeds)|(Preferred|Common)?(Stock)?Dividends")
    are_paid = bool(tags) and all(payment.match(tag) for tag in tags)
    assert not are_paid or METRICS[name].paid or METRICS[name].refundable or METRICS[name].added


def test_dividend_that_is_filed_as_an_outflow_is_the_same_on_common_shares() -> None:
    quarters = [row("2010-01-01", "2010-03-31", -217.7e6, "2010-04-30")]
    quarters += [row("2009-01-01", "2009-03-31", -192.3e6, "2010-04-30")]
    revenue = [row(each["start"], each["end"], 2e9, each["filed"]) for each in quarters]
    found = of(listed({"PaymentsOfDividendsCommonStock": quarters, REVENUE: revenue}))
    paid = {f.value for f in found.figures if f.metric in ("dividends", "common_dividends")}
    assert paid == {217.7e6, 192.3e6}


def test_each_bar_of_a_metric_that_is_shown_has_words() -> None:
    bars = {other for name in LABELS for other in METRICS[name].unless}
    contrary = {other for name in LABELS for other in METRICS[name].conflicts}
    for catalogue in CATALOGUES.values():
        assert catalogue.keys() >= {f"gap-beside-{other.replace('_', '-')}" for other in bars}
        assert catalogue.keys() >= {f"gap-contrary-{each.replace('_', '-')}" for each in contrary}


def test_what_is_shown_has_a_label_and_what_has_a_label_is_shown() -> None:
    shown = {name for name, metric in METRICS.items() if metric.newest or metric.earlier}
    priced = {name for name, metric in METRICS.items() if metric.priced}
    assert shown | priced == set(LABELS)
    for name in shown:
        metric = METRICS[name]
        assert set(metric.earlier) <= set(metric.newest)
        assert set(metric.growth.newest) <= set(metric.newest)
        assert set(metric.growth.earlier) <= {*metric.growth.newest, *metric.earlier}


def test_attributes_decide_where_a_figure_stands() -> None:
    """Apple's newest quarter has neither what its twelve months say better nor what the table says."""
    lines = [
        line.text for line in list_lines(of_sample(APPLE)) if " FY2026 Q1, quarter" in line.text
    ]
    for name in LABELS:
        has_line = any(line.startswith(f"{LABELS[name]}, FY2026") for line in lines)
        assert not has_line or "quarter" in METRICS[name].lines
    assert any(line.startswith(f"{LABELS['revenue']}, FY2026") for line in lines)


def test_each_metric_that_is_shown_has_a_name_in_each_language_and_a_share_says_of_what() -> None:
    for name in LABELS:
        assert say_metric(name).say("de")
    shares = {name for name, metric in METRICS.items() if metric.unit == "percent"}
    assert {name for name in shares if not METRICS[name].whole} == {
        name for name in shares if "growth_implied" in name
    }


@pytest.mark.parametrize(
    "tag",
    [
        *(
            "SalesRevenueServicesNet",
            "OilAndGasRevenue",
            "RevenueOilAndGasServices",
            "UtilityRevenue",
        ),
        *("HealthCareOrganizationPatientServiceRevenue", "RegulatedAndUnregulatedOperatingRevenue"),
    ],
)
def test_revenue_under_the_tag_of_an_industry_is_revenue(tag: str) -> None:
    flows = {tag: 100.0, INCOME: 10.0}
    filed = listed(
        {n: [row("2023-01-01", "2023-12-31", v, "2024-02-05", "10-K")] for n, v in flows.items()}
    )
    shown = [f for f in of(filed).figures if (f.metric, f.period) == ("revenue", "year")]
    assert [(f.value, f.tag) for f in shown] == [(100.0, tag)]


def test_bank_without_a_total_has_net_interest_and_other_income_as_revenue() -> None:
    flows = {"InterestIncomeExpenseNet": 70.0, "NoninterestIncome": 30.0, INCOME: 20.0}
    years = {
        n: [row("2023-01-01", "2023-12-31", v, "2024-02-05", "10-K")] for n, v in flows.items()
    }
    days = {n: [row("", "2023-12-31", 900.0, "2024-02-05", "10-K")] for n in ("Deposits", "Assets")}
    found = of(listed(years | days))
    assert found.kind == "bank"
    assert {f.value for f in found.figures if f.metric == "revenue"} == {100.0}
    del years["NoninterestIncome"], years["InterestIncomeExpenseNet"]
    assert {gap.state for gap in of(listed(years)).gaps if gap.metric == "revenue"} == {"not_filed"}


@pytest.mark.parametrize(("issued", "shown"), [(2.0e9, []), (1.07e9, [0.9e9])])
def test_count_of_shares_that_is_computed_and_far_from_those_of_earnings_is_withheld(
    issued: float, shown: list[float]
) -> None:
    """Issued shares are often filed rounded to billions, and those in treasury are not."""
    flows = {REVENUE: 100.0, INCOME: 10.0}
    filed = listed(
        {n: [row("2023-01-01", "2023-12-31", v, "2024-02-05", "10-K")] for n, v in flows.items()}
    )
    counts = {"CommonStockSharesIssued": issued, "TreasuryStockShares": 0.17e9}
    days = {n: [row("", "2023-12-31", v, "2024-02-05", "10-K")] for n, v in counts.items()}
    average = [row("2023-01-01", "2023-12-31", 0.91e9, "2024-02-05", "10-K")]
    shares = listed(days | {"WeightedAverageNumberOfDilutedSharesOutstanding": average}, "shares")
    filed["facts"]["us-gaap"] |= shares["facts"]["us-gaap"]
    found = of(filed)
    assert [f.value for f in found.figures if f.metric == "shares_outstanding"] == shown
