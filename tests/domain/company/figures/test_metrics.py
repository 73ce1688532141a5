"""The data file of metrics: what of each is read, and where its figures are shown."""

import pytest

from contracts.evidence.rows import Period
from domain.company.figures.derived_metrics import (
    DIFFERENCES,
    LIQUID,
    SHARES,
    get_balance,
    get_flow,
)
from domain.company.figures.filed.accounts import Accounts
from domain.company.figures.filed.facts import FiledFacts
from domain.company.figures.filed.metrics import (
    LABELS,
    METRICS,
    Metric,
    find_unit,
    is_instant,
    list_compared,
    list_shown,
    say_metric,
)
from domain.company.figures.text import list_lines
from tests.domain.company.figures.companies import APPLE, SNOWFLAKE, of_sample, sample

PERIODS: tuple[Period, ...] = ("ttm", "quarter", "year", "instant")


@pytest.mark.parametrize("cik", [APPLE, SNOWFLAKE])
def test_every_metric_that_is_shown_is_read_or_computed(cik: int) -> None:
    """A name in the file that nothing computes would raise or never have a figure."""
    accounts = Accounts(FiledFacts(sample(cik)))
    end = accounts.newest_end
    for name in {*list_shown("newest", "ttm"), *list_shown("newest", "year")}:
        get_flow(accounts, "ttm", name, end)
    for name in {*list_shown("newest", "instant"), *list_shown("newest", "year_end")}:
        get_balance(accounts, name, end)
    parts = {name for share in SHARES.values() for name in share}
    assert {*SHARES, *parts, *DIFFERENCES, *LIQUID} <= set(METRICS)


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
    lines = [line.text for line in list_lines(of_sample(APPLE)) if " fiscal 2026 (to " in line.text]
    for name, metric in METRICS.items():
        has_line = any(line.startswith(f"{LABELS.get(name)}, first quarter") for line in lines)
        if metric.not_shown_quarterly or metric.quarter_in_table or metric.shown_as_percent:
            assert not has_line, name
    assert any(line.startswith("Revenue, first quarter") for line in lines)


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("revenue", "EUR"),
        ("revenue_growth", "percent"),
        ("gross_margin", "percent"),
        ("diluted_eps", "EUR/shares"),
        ("diluted_shares", "shares"),
        ("price_to_sales", "times"),
    ],
)
def test_unit_is_that_of_the_file(metric: str, unit: str) -> None:
    assert find_unit(metric, "EUR") == unit


def test_compared_are_flows_then_what_prices_mean_then_balances() -> None:
    compared = [*list_compared()]
    assert {"revenue", "revenue_growth", "diluted_shares_growth"} <= set(compared)
    assert "diluted_shares" not in compared
    priced = [n for n in compared if METRICS[n.removesuffix("_growth")].priced]
    balances = [name for name in compared if is_instant(name)]
    assert balances == [
        "debt",
        "net_cash",
        "remaining_performance_obligation",
        "shares_outstanding",
    ]
    assert compared[-len(priced + balances) :] == priced + balances
    assert Metric().growth.compared is False


def test_each_metric_that_is_shown_has_a_name_in_each_language_and_a_share_says_of_what() -> None:
    for name in LABELS:
        assert say_metric(name).say("de")
    shares = {name for name, metric in METRICS.items() if metric.unit == "percent"}
    assert {name for name in shares if not METRICS[name].whole} == {
        name for name in shares if "growth_implied" in name
    }
