"""Items are taken out of the line in which they sit, by what the other lines of the statement show."""

from collections.abc import Mapping

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.notices import Notice
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.metrics import say_metric
from tests.domain.company.figures.companies import listed, row

Flows = Mapping[str, tuple[float | None, ...]]
PRETAX_TAG = (
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
)
SOLD = {
    "Revenues": (1_000, 900, 800),
    "NetIncomeLoss": (100, 90, 80),
    "OperatingIncomeLoss": (300, 290, 270),
    "InterestExpense": (40, 30, 20),
    PRETAX_TAG: (170, 260, 250),
    "GainLossOnSaleOfBusiness": (60, 10, 5),
}
"""Operating income less interest was income before tax in two years that had gains on businesses sold."""
CHARGED = {
    "Revenues": (1_000, 900, 800),
    "NetIncomeLoss": (100, 90, 80),
    "OperatingIncomeLoss": (300, 290, 270),
    "InterestExpense": (40, 40, 40),
    PRETAX_TAG: (250, 290, 230),
    "RestructuringCharges": (90, 30, 30),
}


def _compute(flows: Flows, sic: int = 0) -> Fundamentals:
    tags = {
        tag: [
            row(f"{2024 - n}-01-01", f"{2024 - n}-12-31", amount, "2025-02-05", "10-K")
            for n, amount in enumerate(amounts)
            if amount is not None
        ]
        for tag, amounts in flows.items()
    }
    return compute_fundamentals(listed(tags), Company(cik=1, ticker="ACME", name="Acme", sic=sic))


def _moved(found: Fundamentals) -> dict[str, tuple[object, object]]:
    """Return growth with and without the items that moved a line in the newest year, by the name of the line."""
    names = {say_metric(name).text: name for name in ("operating_income", "pretax_income")}
    told = dict[str, tuple[object, object]]()
    for note in found.notes:
        if note.code in ("company-moved", "company-moved-all"):
            metric = note.params["metric"]
            assert isinstance(metric, Notice)
            told[names[metric.text]] = note.params["growth"], note.params["rest"]
    return told


def test_gain_on_a_sale_is_taken_out_of_operating_income_where_that_holds_it() -> None:
    """300 and 290 of operating income are 240 and 280 without gains."""
    assert _moved(_compute(SOLD)) == {
        "operating_income": (3.4, -14.3),
        "pretax_income": (-34.6, -20),
    }


@pytest.mark.parametrize(
    "pretax",
    [(170, 270, 255), (170, 200, 190)],
    ids=["gains beyond operating income", "much else beyond it"],
)
def test_gain_on_a_sale_is_left_in_operating_income_where_nothing_shows_that_it_is_there(
    pretax: tuple[float, ...],
) -> None:
    assert "operating_income" not in _moved(_compute(SOLD | {PRETAX_TAG: pretax}))


def test_charge_that_may_stand_below_is_taken_out_of_income_before_tax_alone() -> None:
    """The result beyond interest fell from 40 to -10 as 60 more were charged."""
    assert _moved(_compute(CHARGED)) == {"pretax_income": (-13.8, 6.3)}


@pytest.mark.parametrize(
    "more",
    [
        {PRETAX_TAG: (290, 290, 230)},
        {PRETAX_TAG: (320, 290, 230)},
        {"InvestmentIncomeInterest": (10, 60, 60)},
    ],
    ids=["the rest moved little", "the rest moved the other way", "less interest was earned"],
)
def test_charge_is_one_of_operating_income_where_no_other_line_can_hold_it(more: Flows) -> None:
    assert _moved(_compute({**CHARGED, **more}))["operating_income"] == (3.4, 21.9)


@pytest.mark.parametrize("received", [0, 59, 61])
def test_gain_on_equipment_beyond_its_proceeds_is_not_taken_out_as_a_gain(received: float) -> None:
    """A loss that is filed without a minus is more than what was received."""
    sold = {tag: v for tag, v in SOLD.items() if tag != "GainLossOnSaleOfBusiness"} | {
        "GainLossOnSaleOfPropertyPlantEquipment": (60, 10, 5),
        "ProceedsFromSaleOfPropertyPlantAndEquipment": (received,) * 3,
    }
    gain = Notice.of("item-asset-sale-gain", "info")
    assert any(note.includes(gain) for note in _compute(sold).notes) == (received == 61)


def test_loss_on_assets_is_not_taken_out_beside_the_restructuring_that_may_hold_it() -> None:
    found = _compute(CHARGED | {"GainLossOnDispositionOfAssets1": (-70, 10, 0)})
    assert _moved(found) == {"pretax_income": (-13.8, 6.3)}
    del_restructuring = {tag: v for tag, v in CHARGED.items() if tag != "RestructuringCharges"}
    alone = _compute(del_restructuring | {"GainLossOnDispositionOfAssets1": (-70, 10, 0)})
    assert _moved(alone) == {"pretax_income": (-13.8, 14.3)}


def test_impairments_of_intangible_assets_are_one_offs_and_count_once() -> None:
    tag = "ImpairmentOfIntangibleAssetsIndefinitelivedExcludingGoodwill"
    plain = {name: v for name, v in CHARGED.items() if name != "RestructuringCharges"}
    assert _moved(_compute({**plain, tag: (0, 60, 0), PRETAX_TAG: (260, 250, 230)})) == {
        "operating_income": (3.4, -14.3),
        "pretax_income": (4, -16.1),
    }
    both = {tag: (0, 60, 0), "AssetImpairmentCharges": (0, 60, 0), PRETAX_TAG: (260, 250, 230)}
    assert _moved(_compute({**plain, **both}))["operating_income"] == (3.4, -14.3)


def test_item_of_one_of_the_two_periods_alone_is_named_as_left_in() -> None:
    tag = "ImpairmentOfIntangibleAssetsFinitelived"
    calm = {**CHARGED, PRETAX_TAG: (290, 290, 230), tag: (None, 25, None)}
    note = next(n for n in _compute(calm).notes if n.code == "company-moved")
    kept = note.params["kept"]
    assert isinstance(kept, list)
    told = [each.params for each in kept if isinstance(each, Notice)]
    amount = Notice.of("amount", "info", value=25, unit="USD")
    period = Notice.of("period-year", "info", end="2023-12-31")
    assert [(each["amount"], each["period"]) for each in told] == [(amount, period)]
    small = _compute({**calm, tag: (None, 7, None)})
    assert "kept" not in next(n for n in small.notes if n.code == "company-moved").params


@pytest.mark.parametrize("lines", [(24,), (0,), None])
def test_tax_without_items_is_by_the_lines_of_the_reconciliation_or_not_told(
    lines: tuple[float, ...] | None,
) -> None:
    """170 of income hold 60 of gain and a loss of 90: 200 without; 21 % of -30 and 24 of the 60 of tax are theirs."""
    filed = {
        "IncomeTaxExpenseBenefit": (60, 50, 45),
        "IncomeTaxReconciliationIncomeTaxExpenseBenefitAtFederalStatutoryIncomeTaxRate": (35.7,),
    }
    if lines:
        filed["IncomeTaxReconciliationDispositionOfBusiness"] = lines
    [held] = [n for n in _compute({**SOLD, **filed}).notes if n.code == "company-held"]
    told = [held.params.get(name) for name in ("statutory", "rate", "before")]
    assert told == ([21, 21.2, 35.3] if lines == (24,) else [None] * 3)
