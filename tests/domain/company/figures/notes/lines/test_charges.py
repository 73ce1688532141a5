"""A charge that only the cash flow statement shows: named where a fact is as much, and taken out beside the gains."""

from collections.abc import Mapping

import pytest

from contracts.company.figures import Fundamentals
from contracts.notices import Notice
from domain.company.figures.tables.years import build_remainder
from tests.domain.company.figures.companies import find_notices, listed, of, row

PRETAX = (
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
)
OWN = "ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost"
TOTAL = "ResearchAndDevelopmentExpense"
SPANS = (
    ("2024-01-01", "2024-12-31", "10-K", "2025-02-13"),
    ("2023-01-01", "2023-12-31", "10-K", "2024-02-13"),
    ("2025-01-01", "2025-06-30", "10-Q", "2025-07-24"),
    ("2024-01-01", "2024-06-30", "10-Q", "2024-07-24"),
    ("2025-04-01", "2025-06-30", "10-Q", "2025-07-24"),
    ("2024-04-01", "2024-06-30", "10-Q", "2024-07-24"),
)
JNJ: dict[str, tuple[float, ...]] = {
    "Revenues": (88_821, 85_159, 45_636, 43_830, 23_743, 22_447),
    "NetIncomeLoss": (14_066, 35_153, 16_536, 7_941, 5_537, 4_686),
    PRETAX: (16_687, 15_062, 20_122, 9_462, 6_491, 5_748),
    "OtherNonoperatingIncomeExpense": (-4_694, -6_634, 7_214, -3_057, -107, -653),
    OWN: (17_232, 15_085, 6_741, 6_982, 3_516, 3_440),
    TOTAL: (1_841, 483),
    "NetCashProvidedByUsedInOperatingActivities": (24_266, 22_791, 8_052, 9_290),
    "DepreciationDepletionAndAmortization": (7_339, 7_486, 3_715, 3_597),
    "ShareBasedCompensation": (1_176, 1_162, 698, 643),
    "DeferredIncomeTaxExpenseBenefit": (-2_183, -4_194, 2_997, -2_257),
    "AssetImpairmentCharges": (405, 1_295, 30, 379),
    "DiscontinuedOperationGainLossOnDisposalOfDiscontinuedOperationNetOfTax": (0, 20_984),
    "GainLossOnSalesOfAssetsAndAssetImpairmentCharges": (226, 117, 74, 223),
    "IncreaseDecreaseInAccountsPayableAndAccruedLiabilities": (1_621, 2_346, -886, 449),
    "IncreaseDecreaseInAccountsReceivable": (406, 624, 2_283, 1_163),
    "IncreaseDecreaseInInventories": (1_128, 1_323, 656, 739),
    "IncreaseDecreaseInOtherOperatingAssets": (-1_717, 3_480, 6_194, -3_731),
    "IncreaseDecreaseInOtherOperatingLiabilities": (33, 5_588, -5_926, -3_068),
    "ProvisionForDoubtfulAccounts": (11, 0, 3, 0),
}
"""In millions: two years, two half years and two quarters."""
YEAR, TWELVE = ("2024-12-31", "year"), ("2025-06-30", "ttm")


def _compute(more: Mapping[str, tuple[float, ...]] | None = None) -> Fundamentals:
    facts = {
        tag: [
            row(start, end, amount * 1e6, filed, form)
            for (start, end, form, filed), amount in zip(SPANS, amounts, strict=False)
        ]
        for tag, amounts in (JNJ | dict(more or {})).items()
    }
    return of(listed(facts), "2025-07-31")


def _read(found: Fundamentals) -> list[tuple[float | None, ...]]:
    """Return the amounts of each note on a charge, in billions."""
    return [
        tuple(
            note[key]["value"] if key in note else None
            for key in ("amount", "rest", "other", "both")
        )
        for note in find_notices(found, "company-charge")
    ]


def test_charge_that_the_cash_flow_statement_leaves_is_taken_out_beside_other_income() -> None:
    """J&J's lines leave 1,841 and 483 million, the acquired research; none of it fell into the first half of 2024."""
    found = _compute()
    assert _read(found) == [(1.84, 18.5, 21.4, 23.2), (1.84, 29.2, 21.8, 23.6)]
    assert any(each.includes(Notice.of("item-acquired-research", "info")) for each in found.notes)
    rests = [n.params["rest"] for n in found.notes if n.code == "company-cash-lines"]
    facts = [rest.params.get("fact") for rest in rests if isinstance(rest, Notice)]
    assert Notice.of("item-acquired-research", "info") in facts, "its tag is that of all research"
    [growth] = [note for note in find_notices(found, "company-moved-all") if note["rest"] == 0.7]
    assert growth["growth"] == -1.5, "of income before tax, without other non-operating income"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        pytest.param({TOTAL: (1_841, 500)}, [], id="another-amount-a-year-before"),
        pytest.param({TOTAL: (18_000, 16_000)}, [], id="a-true-total"),
        pytest.param(
            {"NetCashProvidedByUsedInOperatingActivities": (24_266, 22_791, 8_052, 9_690)},
            [1.84, 1.44],
            id="part-of-it-in-the-months-before",
        ),
        pytest.param(
            {TOTAL: (), "InventoryWriteDownOnRecall": (1_841, 483)}, [1.84, 1.84], id="by-its-name"
        ),
        pytest.param({TOTAL: (), "CostOfMedicines": (1_841, 483)}, [], id="an-ordinary-cost"),
    ],
)
def test_charge_is_told_of_periods_that_hold_it(
    more: dict[str, tuple[float, ...]], told: list[float]
) -> None:
    found = _compute(more)
    assert [amounts[0] for amounts in _read(found)] == told
    research = Notice.of("item-acquired-research", "info")
    is_charge = TOTAL not in more or 0 < sum(more[TOTAL]) < 20_000
    assert any(each.includes(research) for each in found.notes) == is_charge


def test_table_of_unfiled_quarters_names_what_need_not_recur_in_them() -> None:
    """J&J's newest quarter was 79.7 % above the average of two that bore the write-off of 1,841 million."""
    found = _compute()
    grid = build_remainder(found)
    assert grid
    [note] = [
        each
        for each in found.notes
        if each.code == "company-held"
        and each.includes(Notice.of("period-remainder", "info", end=YEAR[0]))
    ]
    assert grid.more == note.text
