"""The price of documents that are known before the start."""

import pytest

from contracts.terms import PhaseCost, Price, Terms
from workflows.presets import PRESETS
from workflows.start.phase_costs import (
    LONG_DOCUMENT_SEARCHES,
    MAX_LONG_DOCUMENTS,
    Given,
    count_long_documents,
    estimate_costs,
)


def estimate(definition: str, **known: int) -> dict[str, PhaseCost]:
    price = Price(input_usd=1, output_usd=5)
    terms = Terms(cap_usd=5, model="m", prices={"m": price}, offline=False)
    return estimate_costs(PRESETS[definition], terms, Given(**known))


def test_documents_that_are_opened_in_parts_are_counted_up_to_a_bound() -> None:
    assert count_long_documents([500, 20_000]) == 0
    assert count_long_documents([500, 480_000]) == 1
    assert count_long_documents([480_000] * 50) == MAX_LONG_DOCUMENTS


def test_long_document_costs_what_its_phase_says_or_several_searches() -> None:
    def add(definition: str, phase: str) -> float:
        before, after = (estimate(definition, long_documents=n)[phase] for n in (0, 3))
        return after.base.usd - before.base.usd

    searched = estimate("web_answer")["research"].search.usd
    assert add("web_answer", "research") == pytest.approx(3 * LONG_DOCUMENT_SEARCHES * searched)
    assert add("deep_research", "synthesis") == 0, "it sees quotes alone"
    assert add("deep_research", "planning") == 0


def test_price_of_a_report_from_three_annual_reports_is_that_of_whole_runs() -> None:
    """Measured by hand and by replay, with eight searches and three steps: $0.17, of which the research is $0.13."""
    costs = estimate("deep_research", long_documents=3)
    usd = {phase: cost.compute(searches=8, steps=3).usd for phase, cost in costs.items()}
    assert usd["research"] == pytest.approx(0.13, rel=0.15)
    assert sum(usd.values()) == pytest.approx(0.17, rel=0.15)
