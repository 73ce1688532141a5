"""The bench of companies' headline figures, on the two sample companies and on facts made for a test."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from bench.companies import financebench, measurement, mutation
from contracts.base import Json
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
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


COMPANIES = Path(__file__).parents[1] / "fixtures" / "companies"
TRUSTED = {"right", "withheld", "missing", "unchecked"}


def test_headline_figures_of_further_kinds_are_right_or_withheld() -> None:
    """Thirty companies of public filings: an exchange, a broker, a REIT of mortgages, a partnership and others."""
    verdicts = measurement.measure(COMPANIES)
    assert len({v.company for v in verdicts}) == 30
    assert not [v for v in verdicts if v.outcome not in TRUSTED]
    counts = Counter(v.outcome for v in verdicts)
    assert counts["right"] >= 490
    assert counts["missing"] <= 0.01 * len(verdicts)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("exchange-cme", "industrial"),
        ("broker-schwab", "bank"),
        ("card-lender-amex", "bank"),
        ("mortgage-reit-annaly", "investment"),
        ("health-insurer-aetna", "health_insurer"),
        ("life-insurer-prudential", "insurer"),
        ("utility-xcel", "utility"),
        ("reit-prologis", "reit"),
        ("partnership-enterprise", "industrial"),
    ],
)
def test_kind_of_business_is_told_by_the_facts_alone(name: str, kind: str) -> None:
    [path] = measurement.list_files(COMPANIES / name)
    document = json.loads(gzip.decompress(path.read_bytes()))
    company = Company(cik=1, ticker="ACME", name=name)
    assert compute_fundamentals(document, company).kind == kind


def test_faults_are_told_by_what_becomes_of_their_figure(tmp_path: Path) -> None:
    """Earnings that 1,000 times the assets bring are withheld; other revenue that nothing repeats is shown."""
    flows = {
        name: [row(f"{y}-01-01", f"{y}-12-31", v, f"{y + 1}-02-05", "10-K") for y in (2022, 2023)]
        for name, v in ((REVENUE, 70), (INCOME, 7))
    }
    days = [row("", f"{y}-12-31", 50, f"{y + 1}-02-05", "10-K") for y in (2022, 2023)]
    (tmp_path / "CIK1.json").write_text(json.dumps(listed(flows | {"Assets": days})), "utf-8")
    fates = {(f.fault, f.metric): f.fate for f in mutation.measure(tmp_path)}
    assert fates["times 1,000", "net_income"] == "withheld"
    assert fates["other sign", "revenue"] == "withheld"
    assert fates["other sign", "net_income"] == "wrong"
    assert fates["tag dropped", "revenue"] == "missing"
    assert ("years swapped", "revenue") not in fates  # both years have the same


@pytest.mark.parametrize(
    ("spent", "outcome"), [(1577.4e6, "agrees"), (1700e6, "differs"), (None, "not shown")]
)
def test_answers_of_financebench_are_held_against_what_is_shown(
    tmp_path: Path, spent: float | None, outcome: str
) -> None:
    tag = "PaymentsToAcquirePropertyPlantAndEquipment"
    flows = {REVENUE: 9e9, INCOME: 1e9} | ({tag: spent} if spent else {})
    facts = listed(
        {
            name: [row("2018-01-01", "2018-12-31", value, "2019-02-05", "10-K")]
            for name, value in flows.items()
        }
    )
    (tmp_path / "CIK66740.json").write_text(json.dumps(facts | {"cik": 66740}), "utf-8")
    lines: list[Json] = [
        {"financebench_id": "financebench_id_03029", "answer": "$1577.00"},
        {"financebench_id": "financebench_id_00206", "answer": "not a relevant metric"},
        {"financebench_id": "another", "answer": "7"},
    ]
    answered = financebench.measure(tmp_path, lines)
    assert [each.outcome for each in answered] == [outcome, "no facts"]
