"""The filed components of a total that moved it, so that the reason of its change is not called not found."""

from collections.abc import Mapping
from typing import Any

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from tests.domain.company.figures.companies import find_notices, listed, row

BEFORE, END = "2023-12-31", "2024-12-31"
Pair = tuple[float, float]
EXPENSES: dict[str, Pair] = {
    "NoninterestExpense": (26_850, 23_597),
    "LaborAndRelatedExpense": (15_339, 14_093),
    "OccupancyNet": (1_447, 1_302),
    "CommunicationsAndInformationTechnology": (3_021, 2_578),
    "ProfessionalAndContractServicesExpense": (3_483, 2_839),
    "MarketingAndAdvertisingExpense": (1_604, 1_304),
    "OtherNoninterestExpense": (1_956, 1_481),
    "FederalDepositInsuranceCorporationPremiumExpense": (332, 317),
}
"""JPMorgan's of two first quarters, in millions: the last is a part of other expense."""


def _compute(flows: Mapping[str, Pair], days: Mapping[str, Pair] | None = None) -> Fundamentals:
    tags: dict[str, Any] = {}
    base: dict[str, Pair] = {"Revenues": (49_836, 45_310), "NetIncomeLoss": (16_494, 14_643)}
    for of, is_flow in ((base | dict(flows), True), (days or {}, False)):
        for tag, pair in of.items():
            tags[tag] = [
                row(f"{end[:4]}-01-01" if is_flow else "", end, amount, "2025-02-05", "10-K")
                for end, amount in zip((END, BEFORE), pair, strict=True)
            ]
    company = Company(cik=1, ticker="ACME", name="Acme", sic=6021)
    return compute_fundamentals(listed(tags), company)


def _read(note: dict[str, Any]) -> dict[str, float]:
    return {p.params["tag"]: p.params["change"].params["value"] for p in note["parts"]}


def test_components_that_add_up_to_a_total_are_named_by_their_change() -> None:
    [note] = find_notices(_compute(EXPENSES), "company-components")
    assert note["change"]["value"] == 3_253
    assert _read(note) == {
        "Labor and related expense": 1_246,
        "Professional and contract services expense": 644,
        "Other noninterest expense": 475,
        "Communications and information technology": 443,
        "Marketing and advertising expense": 300,
    }, "the premium is a part of other expense, as without it the rest adds up"
    assert note["share"] == 96


def test_components_that_do_not_add_up_are_named_as_lines_that_may_overlap() -> None:
    without = {t: p for t, p in EXPENSES.items() if t != "LaborAndRelatedExpense"}
    found = _compute(without)
    assert find_notices(found, "company-components") == []
    [note] = find_notices(found, "company-components-loose")
    assert "share" not in note
    assert _read(note)["Other noninterest expense"] == 475


def test_a_total_that_hardly_changed_has_no_note() -> None:
    still = EXPENSES | {"NoninterestExpense": (23_800, 23_597)}
    found = _compute(still)
    assert not [n for n in found.notes if n.code.startswith("company-components")]


def test_lines_of_a_balance_sheet_that_moved_most_are_named() -> None:
    """JPMorgan's assets rose by 475.6 billion in a quarter: 274.2 are securities sold under repurchase agreements."""
    days: dict[str, Pair] = {
        "Assets": (4_900_475, 4_424_900),
        "Liabilities": (4_536_437, 4_062_462),
        "Deposits": (2_675_520, 2_559_320),
        "FederalFundsPurchasedAndSecuritiesSoldUnderAgreementsToRepurchase": (716_623, 442_389),
        "Goodwill": (52_706, 52_731),
    }
    [note] = find_notices(_compute(EXPENSES, days), "company-components-days")
    assert (note["first"], note["last"]) == (BEFORE, END)
    funds = "Federal funds purchased and securities sold under agreements to repurchase"
    assert _read(note) == {funds: 274_234, "Deposits": 116_200}
