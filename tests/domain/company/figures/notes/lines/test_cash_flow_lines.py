"""Operating cash flow is explained by all filed lines of its statement, or by them and what they leave."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import LABELS
from domain.company.figures.notes.lines.cash_flow_lines import find_sign
from tests.domain.company.figures.companies import find_notices, listed, of, row
from tests.support.words import en

CODE, ADDED = "company-cash-lines", "line-added"
CHANGE, SUBTRACTED = "line-change", "line-subtracted"
Pair = tuple[float, float]
LINES: dict[str, Pair] = {
    "ProfitLoss": (16_065, 14_974),
    "DepreciationDepletionAndAmortization": (2_847, 2_896),
    "ShareBasedCompensation": (476, 562),
    "DeferredIncomeTaxExpenseBenefit": (149, -244),
    "GainLossOnDispositionOfAssets1": (-755, 215),
    "IncreaseDecreaseInAccountsPayable": (-542, 878),
    "IncreaseDecreaseInAccountsReceivable": (-45, 766),
    "IncreaseDecreaseInInventories": (324, 70),
    "OtherNoncashIncomeExpense": (1_653, -491),
}
"""Of two years; the last four but payables are subtracted."""
TOTAL: Pair = (17_818, 18_506)
OTHER: Pair = (1_100, 2_037)


def _compute(
    total: Pair, lines: Mapping[str, Pair], held: Mapping[str, list[Any]] = MappingProxyType({})
) -> list[dict[str, Any]]:
    base = {"Revenues": (84_284.0, 84_039.0), "NetCashProvidedByUsedInOperatingActivities": total}
    tags = {
        tag: [
            row(f"{year}-01-01", f"{year}-12-31", amount * 1e6, "2025-02-05", "10-K")
            for year, amount in zip((2024, 2023), pair, strict=True)
        ]
        for tag, pair in {**base, **lines}.items()
    }
    return find_notices(of(listed({**tags, **held})), CODE)


def _read(note: dict[str, Any]) -> list[tuple[str, float]]:
    """Return the lines' names with by how many millions they moved the total."""
    amounts = [(part.params, part.params["change"]) for part in note["parts"]]
    return [
        (told["name"].text, change.params["value"] * (1000 if "billion" in change.code else 1))
        for told, change in amounts
    ]


def test_lines_that_add_up_are_told_by_size_with_their_effect_on_cash() -> None:
    [note] = _compute(TOTAL, LINES)
    assert _read(note) == [
        (en(SUBTRACTED, tag=name_line("OtherNoncashIncomeExpense")), -2_140),
        (en(CHANGE, tag=name_line("AccountsPayable")), -1_420),
        (LABELS["net_income"], 1_090),
        (en(SUBTRACTED, tag=name_line("GainLossOnDispositionOfAssets1")), 970),
        (en(CHANGE, tag=name_line("AccountsReceivable")), 811),
        (en(ADDED, tag=name_line("DeferredIncomeTaxExpenseBenefit")), 393),
        (en(CHANGE, tag=name_line("Inventories")), -254),
        (en(ADDED, tag=name_line("ShareBasedCompensation")), -86),
        (en(ADDED, tag=name_line("DepreciationDepletionAndAmortization")), -49),
    ]
    assert note["rest"] == {}
    assert "small" not in note


@pytest.mark.parametrize(
    "tag",
    [
        "DiscontinuedOperationGainLossOnDisposalOfDiscontinuedOperationNetOfTax",
        "GainLossOnSaleOfProperties",
        "GainLossOnSaleOfStockInSubsidiaryOrEquityMethodInvestee",
    ],
)
def test_gains_of_a_disposal_are_subtracted_from_net_income(tag: str) -> None:
    """Equity Residential's were 335 after 393 million, which no line explained."""
    lines = {
        "ProfitLoss": (382, 436),
        "Depreciation": (582, 560),
        "ShareBasedCompensation": (18, 22),
    }
    [note] = _compute((672, 755), lines | {"AssetImpairmentCharges": (11, 116), tag: (321, 379)})
    assert note["rest"] == {}
    assert dict(_read(note))[en(SUBTRACTED, tag=name_line(tag))] == 58


@pytest.mark.parametrize(
    ("is_line", "moved"),
    [pytest.param(True, -937, id="added"), pytest.param(False, 0, id="of-a-note-alone")],
)
def test_a_line_of_some_statements_counts_where_the_lines_add_up_with_it(
    is_line: bool, moved: float
) -> None:
    total = tuple(each + other * is_line for each, other in zip(TOTAL, OTHER, strict=True))
    [note] = _compute((total[0], total[1]), LINES | {"RestructuringCharges": OTHER})
    assert dict(_read(note)).get("Restructuring charges", 0) == moved
    assert note["rest"] == {}


def test_a_line_filed_with_the_other_sign_is_turned_where_the_lines_then_add_up() -> None:
    [note] = _compute(TOTAL, LINES | {"IncreaseDecreaseInAccountsReceivable": (45, -766)})
    assert (en(CHANGE, tag="Accounts receivable"), 811) in _read(note)
    assert note["rest"] == {}


def test_what_lines_leave_is_told_with_its_jump() -> None:
    [note] = _compute((TOTAL[0] - 400, TOTAL[1] + 300), LINES)
    rest = {name: each["value"] for name, each in note["rest"].items()}
    assert rest == {"left": -400, "before": 300, "jump": -700}


@pytest.mark.parametrize(
    ("filed", "fact"),
    [
        ((400, 300), "Cost of recalls"),
        ((-400, -300), "Cost of recalls"),
        ((400, 330), None),
        ((400, -300), None),
    ],
)
def test_filed_fact_that_is_what_lines_leave_in_both_periods_is_named(
    filed: Pair, fact: str | None
) -> None:
    [note] = _compute((TOTAL[0] + 400, TOTAL[1] + 300), LINES | {"CostOfRecalls": filed})
    assert note["rest"].get("fact") == fact


@pytest.mark.parametrize(
    ("proceeds", "brought"),
    [
        ((69, 0), (41, 43)),  # nothing was received for a gain of 43
        ((30, 80), (41, 43)),
        ((69, 80), (-41, -43)),
        (None, (-41, -43)),
    ],
)
def test_gain_on_sales_that_is_more_than_the_proceeds_is_a_loss(
    proceeds: Pair | None, brought: Pair
) -> None:
    """ASML files a loss on equipment under the tag of a gain, in 2008 beside proceeds of 0."""
    sold: dict[str, Pair] = {"GainLossOnSaleOfPropertyPlantEquipment": (41, 43)}
    received = {"ProceedsFromSaleOfPropertyPlantAndEquipment": proceeds} if proceeds else {}
    lines = {t: v for t, v in LINES.items() if not t.startswith("GainLoss")} | sold | received
    [note] = _compute((TOTAL[0] + 100, TOTAL[1] + 300), lines)
    left = [note["rest"][key]["value"] for key in ("left", "before")]
    other = LINES["GainLossOnDispositionOfAssets1"]  # left out, and subtracted from the total
    assert left == [100 - other[0] - brought[0], 300 - other[1] - brought[1]]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(LINES, id="most-of-it-is-left"),
        pytest.param({t: LINES[t] for t in ("ProfitLoss", "ShareBasedCompensation")}, id="few"),
    ],
)
def test_lines_that_leave_much_explain_nothing(lines: Mapping[str, Pair]) -> None:
    assert not _compute((TOTAL[0] + 9_000, TOTAL[1]), lines)


@pytest.mark.parametrize(
    ("tag", "sign"),
    [
        ("IncreaseDecreaseInAccountsReceivable", -1),
        ("IncreaseDecreaseInRetailRelatedInventories", -1),
        ("IncreaseDecreaseInAccruedInterestReceivableNet", -1),
        ("IncreaseDecreaseInOtherOperatingCapitalNet", -1),
        ("IncreaseDecreaseInAccountsPayableAndAccruedLiabilities", 1),
        ("IncreaseDecreaseInIncomeTaxesPayableNetOfIncomeTaxesReceivable", 1),
        ("IncreaseDecreaseInContractWithCustomerLiability", 1),
        ("IncreaseDecreaseInDueFromRelatedParties", 0),
    ],
)
def test_an_increase_takes_cash_or_brings_it_by_what_it_is_of(tag: str, sign: int) -> None:
    assert find_sign(tag) == sign


@pytest.mark.parametrize(
    ("filed", "balances", "effect"),
    [
        (-690, (1_620, 930), -360),  # the balance rose by as much: filed as what it did to cash
        (690, (1_620, 930), -360),
        (-690, (930, 1_620), 360),
        (-690, (4_000, 930), 360),  # a purchased company's are in the balance: it tells nothing
        (-690, None, 360),
    ],
)
def test_change_that_its_balance_contradicts_is_read_as_its_effect_on_cash(
    filed: float, balances: Pair | None, effect: float
) -> None:
    changed = {"IncreaseDecreaseInAccountsReceivable": (filed, filed * 33 / 69)}
    tags = dict(LINES, **changed)
    held = {
        "AccountsReceivableNetCurrent": [
            row("", f"{year}-12-31", amount * 1e6, "2025-02-05", "10-K")
            for year, amount in zip((2024, 2023), balances or (), strict=False)
        ]
    }
    [note] = _compute((TOTAL[0] + 300, TOTAL[1]), tags, held)
    assert dict(_read(note))[en(CHANGE, tag="Accounts receivable")] == effect
