"""The data file of metrics: what of each is read, and where its figures are shown."""

import pytest

from contracts.words import CATALOGUES
from domain.company.figures.filed.metrics import (
    LABELS,
    METRICS,
    TERM,
    say_metric,
)
from domain.company.figures.text import list_lines
from tests.domain.company.figures.companies import APPLE, of_sample


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
    assert own.tags or own.formulas or own.priced or own.average_of


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
