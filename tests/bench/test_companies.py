"""The bench of companies' headline figures, on the two sample companies and on facts made for a test."""

import json
from pathlib import Path

import pytest

from bench.companies import measurement
from tests.domain.company.figures.companies import INCOME, REVENUE, listed, row

END = "2023-12-31"


def test_headline_figures_of_the_samples_are_right() -> None:
    verdicts = measurement.measure(measurement.SAMPLES)
    assert len({v.company for v in verdicts}) == 2
    assert {v.outcome for v in verdicts} == {"right"}


@pytest.mark.parametrize(
    ("tag", "outcome"),
    [
        ("NetCashProvidedByUsedInOperatingActivities", "right"),
        ("AnotherTag", None),
    ],
)
def test_figure_is_judged_by_the_facts_alone(tmp_path: Path, tag: str, outcome: str | None) -> None:
    flows = {
        name: [row("2023-01-01", END, 7, "2024-02-05", "10-K")] for name in (REVENUE, INCOME, tag)
    }
    (tmp_path / "CIK1.json").write_text(json.dumps(listed(flows)), "utf-8")
    found = {v.metric: v.outcome for v in measurement.measure(tmp_path)}
    assert found["revenue"] == "right"
    assert found.get("operating_cash_flow") == outcome
