"""A charge that the lines of an insurer's costs leave no room for: its losses on investments under another name."""

from collections.abc import Mapping

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from tests.domain.company.figures.companies import find_notices, listed, row

PRETAX = (
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
)
CHARGE, OTHER = "RestructuringCostsAndAssetImpairmentCharges", "OtherExpenses"
OWN = "RestructuringSettlementAndImpairmentProvisions"
SPANS = (
    ("2010-01-01", "2010-03-31", "2010-05-07", "10-Q"),
    ("2009-01-01", "2009-03-31", "2010-05-07", "10-Q"),
    ("2009-01-01", "2009-12-31", "2010-02-26", "10-K"),
    ("2008-01-01", "2008-12-31", "2010-02-26", "10-K"),
)
AIG: dict[str, tuple[float, ...]] = {
    "Revenues": (16_330, 13_315, 96_004, 6_896),
    "PremiumsEarnedNet": (10_067, 12_841, 64_702, 78_564),
    "RealizedInvestmentGainsLosses": (-548, -2_774, -6_854, -52_705),
    "PolicyholderBenefitsAndClaimsIncurredNet": (8_519, 11_353, 61_436, 58_839),
    "SellingGeneralAndAdministrativeExpense": (3_262, 3_576, 20_674, 26_284),
    "InterestExpense": (1_734, 2_587, 15_369, 17_007),
    OTHER: (1_793, 2_239, 9_516, 10_490),
    "BenefitsLossesAndExpenses": (15_495, 19_831, 109_652, 113_424),
    CHARGE: (1_753, 4_193, 10_471, 53_340),
    OWN: (110, 338, 1_386, 804),
    "DisposalGroupNotDiscontinuedOperationGainLossOnDisposal": (-77, 262, -1_271),
    PRETAX: (835, -6_516, -13_648, -106_528),
    "NetIncomeLoss": (1_451, -4_353, -10_949, -99_289),
}
"""In millions, by AIG's filings of 2010: two quarters and two years."""


def _compute(changed: Mapping[str, tuple[float, ...]], sic: int = 6331) -> Fundamentals:
    facts = {
        tag: [
            row(start, end, amount * 1e6, filed, form)
            for (start, end, filed, form), amount in zip(SPANS, amounts, strict=False)
        ]
        for tag, amounts in (AIG | dict(changed)).items()
        if amounts
    }
    company = Company(cik=1, ticker="ACME", name="Acme", sic=sic)
    return compute_fundamentals(listed(facts), company)


def _list_held(found: Fundamentals) -> list[str]:
    return [note.text for note in found.every_note if note.code == "company-held"]


@pytest.mark.parametrize("own", [AIG[OWN], ()])
def test_charge_without_room_in_costs_is_told_and_not_taken_out(own: tuple[float, ...]) -> None:
    found = _compute({OWN: own})
    told = find_notices(found, "company-charge-no-cost")
    assert {note["period"]["end"] for note in told} == {"2010-03-31", "2009-12-31"}
    assert {note["tag"] for note in told} == {"Restructuring costs and asset impairment charges"}
    texts = " ".join(_list_held(found))
    assert "-1.27 billion USD" in texts, "a loss on businesses sold is taken out as ever"
    assert ("Restructuring cost" in texts) == bool(own)
    assert ("-110 million USD" in texts, "-1.39 billion USD" in texts) == (bool(own), bool(own))
    assert not any(each in texts for each in ("-1.75 billion", "-10.5 billion", "-6.28 billion"))


@pytest.mark.parametrize(
    ("changed", "sic"),
    [
        ({OTHER: (40, 40, 45, 50), OWN: ()}, 6331),
        ({"BenefitsLossesAndExpenses": (), OWN: ()}, 6331),
        ({"BenefitsLossesAndExpenses": (15_000, 19_000, 106_000, 112_000), OWN: ()}, 6331),
        ({OWN: ()}, 3570),
    ],
    ids=["room", "no total", "lines overlap", "another kind of business"],
)
def test_charge_that_may_be_a_cost_is_taken_out(
    changed: Mapping[str, tuple[float, ...]], sic: int
) -> None:
    found = _compute(changed, sic)
    assert not find_notices(found, "company-charge-no-cost")
    assert any("-1.75 billion USD" in text for text in _list_held(found))


def test_gain_set_off_in_costs_makes_room_for_a_charge() -> None:
    """AIG's quarter a year before: lines of 19,755 of 19,831 leave 76, after a gain of 262 and a charge of 338."""
    found = _compute({tag: amounts[1:2] * 2 + amounts[2:] for tag, amounts in AIG.items()})
    rooms = [note["room"]["value"] for note in find_notices(found, "company-charge-no-cost")]
    assert 338 in rooms
