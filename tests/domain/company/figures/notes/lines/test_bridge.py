"""What filed lines leave unexplained of income before tax, and facts found by its size."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.facts import Fact
from domain.company.figures.filed.metrics import spell_tag
from domain.company.figures.notes.lines.bridge import find_of_size
from tests.domain.company.figures.companies import find_notices, listed, row

START, MERGER, END = "2024-01-01", "2024-03-26", "2024-12-31"
FLOWS = {
    "Revenue": 43_862_372,
    "DirectOperatingExpenseFromInvestmentProperty": 6_974_534,
    "AdministrativeExpense": 15_626_057,
    "GainsLossesOnFairValueAdjustmentInvestmentProperty": 32_347_462,
    "RevenueFromInterest": 302_808,
    "FinanceCosts": 22_642_028,
    "GainsLossesOnExchangeDifferencesOnTranslationRecognisedInProfitOrLoss": -104_129,
    "OtherIncome": 12_616_888,
    "OtherExpenseByFunction": 9_177_160,
    "ProfitLossBeforeTax": -9_863_991,
    "ProfitLossAttributableToOwnersOfParent": -29_285_428,
}
DAYS = {
    "AcquisitiondateFairValueOfTotalConsiderationTransferred": 41_705_893,
    "OtherLiabilities": 2_763_720,
}


def _compute(days: Mapping[str, float], flows: Mapping[str, float] = FLOWS) -> Fundamentals:
    """Return the fundamentals of a property company under IFRS, with facts of the day of its merger."""
    tags: dict[str, Any] = {
        tag: [row(START, END, amount, "2025-04-02", "20-F")] for tag, amount in flows.items()
    }
    tags |= {tag: [row("", MERGER, a, "2025-04-02", "20-F")] for tag, a in days.items()}
    company = Company(cik=1, ticker="ACME", name="Acme", sic=6798)
    return compute_fundamentals(listed(tags, taxonomy="ifrs-full"), company)


def test_a_charge_that_no_line_names_is_found_by_its_size_and_taken_out_with_the_gain() -> None:
    """Logistic Properties went public by a merger that cost 44,469,613 dollars, the sum of two facts of its day."""
    found = _compute(DAYS)
    [rest] = find_notices(found, "company-rest")
    assert rest["rest"]["value"] == -44.5
    [pair] = rest["found"]
    tags = {each.params["tag"] for each in pair.params["facts"]}
    assert tags == {*map(spell_tag, DAYS)}
    [held] = find_notices(found, "company-held")
    assert [each.params["amount"].params["value"] for each in held["items"]] == [32.3, -44.5]
    assert held["rest"]["value"] == 2.26


def test_a_gain_is_not_taken_out_beside_a_charge_that_stays_unexplained() -> None:
    found = _compute({"OtherLiabilities": 2_763_720})
    assert find_notices(found, "company-rest") == find_notices(found, "company-held") == []


def test_a_gain_is_taken_out_where_the_lines_explain_all() -> None:
    explained = FLOWS | {"ProfitLossBeforeTax": 34_605_622}
    found = _compute(DAYS, explained)
    assert find_notices(found, "company-rest") == []
    [held] = find_notices(found, "company-held")
    assert held["rest"]["value"] == 2.26


def _facts(*values: float, day: str = MERGER) -> list[tuple[str, Fact]]:
    return [
        (f"Tag{n}", Fact("", day, value, "a", "2025-04-02", "20-F", 2024))
        for n, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        (_facts(44_469_613, 41_705_893, 2_763_720), [(44_469_613,)]),
        (_facts(41_705_893, 2_763_720), [(41_705_893, 2_763_720)]),
        ([*_facts(41_705_893), *_facts(2_763_720, day=END)], []),
        (_facts(44_400_000, 69_613), []),
    ],
    ids=["one", "two of a day", "two of two days", "a trifle beside it"],
)
def test_one_fact_of_a_size_goes_before_two_of_one_day(
    facts: list[tuple[str, Fact]], found: list[tuple[float, ...]]
) -> None:
    sizes = find_of_size(facts, 44_469_613, 5)
    assert [tuple(f.value for _, f in each.facts) for each in sizes] == found


def test_facts_of_a_size_are_not_named_where_chance_makes_as_many() -> None:
    """Amounts in whole millions: hundreds of them hold pairs of almost any sum."""
    drawn = random.Random(7)
    facts = _facts(*(drawn.randrange(1, 60_000) * 1e6 for _ in range(300)))
    assert find_of_size(facts, 44_470e6, 4e6) == []
    assert find_of_size(facts[:2], facts[0][1].value, 4e6), "of two facts none is there by chance"
