"""Metrics without a figure have a state and a reason, and never count as zero."""

from typing import Any

import pytest

from domain.company.figures.filed.amounts_by_period import Accounts
from domain.company.figures.filed.facts import FiledFacts
from domain.company.figures.filed.series import Amount, Missing
from tests.domain.company.figures.companies import listed, of, row

END = "2023-12-31"


def of_year(values: dict[str, float]) -> dict[str, Any]:
    flows = {tag: [row("2023-01-01", END, v, "2024-02-05", "10-K")] for tag, v in values.items()}
    return listed(flows)


FACTS = of_year({"Revenues": 400, "NetCashProvidedByUsedInOperatingActivities": 90})


def test_metric_without_facts_is_not_filed_and_enters_no_sum() -> None:
    accounts = Accounts(FiledFacts(FACTS))
    capital, free = (
        accounts.find("year", n, END) for n in ("capital_expenditure", "free_cash_flow")
    )
    assert isinstance(capital, Missing)
    assert capital.state == "not_filed"
    assert isinstance(free, Missing)
    assert free.state == "not_filed"
    assert free.reason.code == "gap-needs"


def test_metric_that_does_not_apply_is_withheld_with_all_that_needs_it() -> None:
    accounts = Accounts(FiledFacts(FACTS), sic=6021)
    for name in ("operating_cash_flow", "free_cash_flow", "fcf_margin"):
        found = accounts.find("year", name, END)
        assert isinstance(found, Missing)
        assert found.state == "does_not_apply"
    assert isinstance(accounts.find("year", "revenue", END), Amount)


@pytest.mark.parametrize(("diluted", "state"), [(-0.05, "conflicting"), (3.47, "reported")])
def test_conflict_withholds_the_figure_and_says_so(diluted: float, state: str) -> None:
    facts = of_year({"Revenues": 400, "NetIncomeLoss": 80})
    for tag, eps in (("EarningsPerShareDiluted", diluted), ("EarningsPerShareBasic", 3.48)):
        rows = [row("2023-01-01", END, eps, "2024-02-05", "10-K")]
        facts["facts"]["us-gaap"][tag] = {"units": {"USD/shares": rows}}
    found = of(facts)
    shown = {figure.metric: figure.state for figure in found.figures}
    gaps = {gap.metric: gap.state for gap in found.gaps}
    assert (shown | gaps)["diluted_eps"] == state
    told = [note for note in found.notes if note.code == "company-conflicting"]
    assert bool(told) == (state == "conflicting")
