"""The filed components of a total that moved it, so that the reason of its change is not called not found."""

from collections.abc import Mapping
from typing import Any

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from tests.domain.company.figures.companies import find_notices, listed, row, spell_line

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


def compute(
    flows: Mapping[str, Pair], days: Mapping[str, Pair] | None = None, sic: int = 6021
) -> Fundamentals:
    tags: dict[str, Any] = {}
    base: dict[str, Pair] = {"Revenues": (49_836, 45_310), "NetIncomeLoss": (16_494, 14_643)}
    for of, is_flow in ((base | dict(flows), True), (days or {}, False)):
        for tag, pair in of.items():
            tags[tag] = [
                row(f"{end[:4]}-01-01" if is_flow else "", end, amount, "2025-02-05", "10-K")
                for end, amount in zip((END, BEFORE), pair, strict=True)
                if amount is not None
            ]
    company = Company(cik=1, ticker="ACME", name="Acme", sic=sic)
    return compute_fundamentals(listed(tags), company)


def read_changes(note: dict[str, Any]) -> dict[str, float]:
    return {spell_line(p.params["tag"]): p.params["change"].params["value"] for p in note["parts"]}


def test_components_that_add_up_to_a_total_are_named_by_their_change() -> None:
    [note] = find_notices(compute(EXPENSES), "company-components")
    assert note["change"]["value"] == 3_253
    assert read_changes(note) == {
        "Labor and related expense": 1_246,
        "Professional and contract services expense": 644,
        "Other noninterest expense": 475,
        "Communications and information technology": 443,
        "Marketing and advertising expense": 300,
    }, "the premium is a part of other expense, as without it the rest adds up"
    assert note["share"] == 96


def test_components_that_do_not_add_up_are_named_as_lines_that_may_overlap() -> None:
    without = {t: p for t, p in EXPENSES.items() if t != "LaborAndRelatedExpense"}
    found = compute(without)
    assert find_notices(found, "company-components") == []
    [note] = find_notices(found, "company-components-loose")
    assert "share" not in note
    assert read_changes(note)["Other noninterest expense"] == 475


def test_a_total_that_hardly_changed_has_no_note() -> None:
    moved: dict[str, Pair] = {"LaborAndRelatedExpense": (14_200, 14_093)}
    still = EXPENSES | moved | {"NoninterestExpense": (23_800, 23_597)}
    found = compute(still)
    assert not [n for n in found.notes if n.code.startswith("company-components")]


COSTS: dict[str, Pair] = {
    "Revenues": (816.2, 817.8),
    "OperatingIncomeLoss": (217.8, 225.8),
    "CostOfGoodsSold": (101.9, 83.6),
    "ResearchAndDevelopmentExpense": (131, 185.9),
    "SellingGeneralAndAdministrativeExpense": (359.9, 318.9),
}
"""Costs that nothing sums up, and that hardly changed, as what was saved on research was spent on sales."""


def test_lines_that_offset_each_other_are_named_where_the_total_hardly_changed() -> None:
    [note] = find_notices(compute(COSTS, sic=2834), "company-components-loose")
    assert note["change"]["value"] == 6
    assert [*read_changes(note).values()] == [-55, 41, 18]


def test_costs_that_a_total_sums_up_are_named_once() -> None:
    found = compute(META | {"OperatingIncomeLoss": (69_380, 46_751)}, sic=7370)
    assert len([n for n in found.notes if n.code.startswith("company-components")]) == 1


def test_a_line_that_is_left_over_by_name_explains_nothing() -> None:
    """JPMorgan's other expense tripled in a quarter: no line says of what."""
    lines: dict[str, Pair] = {
        "NoninterestExpense": (16_124, 13_373),
        "LaborAndRelatedExpense": (7_276, 7_588),
        "MarketingAndAdvertisingExpense": (583, 384),
        "OtherNoninterestExpense": (4_441, 1_375),
    }
    [note] = find_notices(compute(lines), "company-components-loose")
    assert read_changes(note) == {
        "Labor and related expense": -312,
        "Marketing and advertising expense": 199,
    }
    assert read_changes({"parts": note["rests"]}) == {"Other noninterest expense": 3_066}
    assert (note["left"]["value"], note["before"]["value"]) == (3_824, 4_026)


def test_what_lines_leave_of_a_total_is_told_only_where_none_can_hold_another() -> None:
    """Simon Property's costs of a year held 313 million in no line, after 161: it was written off."""
    lines: dict[str, Pair] = {
        "CostsAndExpenses": (2_368.5, 2_240.1),
        "DepreciationAndAmortization": (997.6, 969.5),
        "DirectCostsOfLeasedAndRentedPropertyOrEquipment": (1_057.8, 1_109.2),
    }
    [note] = find_notices(compute(lines, sic=6798), "company-components-loose")
    assert [note[name]["value"] for name in ("left", "before", "jump")] == [313, 161, 152]
    overlapping = lines | {"RealEstateTaxExpense": (334.0, 335.0)}
    [note] = find_notices(compute(overlapping, sic=6798), "company-components-loose")
    assert "left" not in note


def test_a_gain_that_the_cash_flow_statement_takes_off_is_no_line_of_income() -> None:
    """Filed as what is taken off profit, a gain of 610 stands there with a minus."""
    lines: dict[str, Pair] = {
        "NoninterestIncome": (13_961, 11_658),
        "PrincipalTransactionsRevenue": (4_548, 2_001),
        "GainLossOnInvestments": (-610, -198),
    }
    [note] = find_notices(compute(lines), "company-components-loose")
    assert read_changes(note) == {"Principal transactions revenue": 2_547}


def test_lines_of_a_balance_sheet_that_moved_most_are_named() -> None:
    """JPMorgan's assets rose by 475.6 billion in a quarter: 274.2 are securities sold under repurchase agreements."""
    days: dict[str, Pair] = {
        "Assets": (4_900_475, 4_424_900),
        "Liabilities": (4_536_437, 4_062_462),
        "Deposits": (2_675_520, 2_559_320),
        "FederalFundsPurchasedAndSecuritiesSoldUnderAgreementsToRepurchase": (716_623, 442_389),
        "Goodwill": (52_706, 52_731),
    }
    [note] = find_notices(compute(EXPENSES, days), "company-components-days")
    assert (note["first"], note["last"]) == (BEFORE, END)
    funds = "Federal funds purchased and securities sold under agreements to repurchase"
    assert read_changes(note) == {funds: 274_234, "Deposits": 116_200}


META: dict[str, Pair] = {
    "CostsAndExpenses": (95_121, 88_151),
    "LaborAndRelatedExpense": (41_300, 37_790),
    "OtherCostAndExpenseOperating": (53_821, 50_361),
    "CostOfRevenue": (30_161, 25_959),
    "ResearchAndDevelopmentExpense": (43_873, 38_483),
    "SellingAndMarketingExpense": (11_347, 12_301),
    "GeneralAndAdministrativeExpense": (9_740, 11_408),
}


def test_what_named_costs_leave_of_a_total_does_not_explain_it() -> None:
    """Meta files its staff, and other costs that are all the rest: the two always make 100 % of a change."""
    [note] = find_notices(compute(META, sic=7370), "company-components")
    assert read_changes(note) == {
        "Research and development expense": 5_390,
        "Cost of revenue": 4_202,
        "General and administrative expense": -1_668,
        "Selling and marketing expense": -954,
    }


def test_claims_and_provisions_are_lines_of_costs() -> None:
    """UnitedHealth's claims are most of its costs; Simon Property's provisions were the second largest change."""
    claims: dict[str, Pair] = {
        "CostsAndExpenses": (367_991, 339_264),
        "PolicyholderBenefitsAndClaimsIncurredNet": (264_185, 241_894),
        "CostOfGoodsAndServicesSold": (46_694, 38_770),
        "SellingGeneralAndAdministrativeExpense": (53_013, 54_628),
        "DepreciationAndAmortization": (4_099, 3_972),
    }
    [note] = find_notices(compute(claims, sic=6324), "company-components")
    assert next(iter(read_changes(note).items())) == (
        "Policyholder benefits and claims incurred net",
        22_291,
    )
    provisions: dict[str, Pair] = {
        "CostsAndExpenses": (498.2, 554.3),
        "DepreciationAndAmortization": (228.9, 256.3),
        "ProvisionForLoanLeaseAndOtherLosses": (-3.5, 13),
        "RealEstateTaxExpense": (90, 93.6),
    }
    [note] = find_notices(compute(provisions, sic=6798), "company-components-loose")
    assert [*read_changes(note).values()] == [-27, -17, -4]


def test_lines_of_a_balance_sheet_are_known_by_how_they_are_named() -> None:
    """No list holds every line: UnitedHealth's other receivables moved most, and are under no tag of the list."""
    days: dict[str, Pair] = {
        "Assets": (298_278, 273_720),
        "AssetsCurrent": (85_800, 78_400),
        "DeferredTaxAssetsNetCurrent": (9_000, 1),
        "DerivativeAssetsCurrent": (9_000, 2),
        "OtherReceivablesNetCurrent": (26_089, 17_694),
        "LongTermInvestments": (52_354, 47_609),
        "Liabilities": (195_687, 174_801),
        "LiabilitiesCurrent": (103_800, 99_100),
        "AccountsPayableTradeCurrent": (7_687, 4_849),
        "LongTermDebtNoncurrent": (72_359, 58_263),
        "CustomerDepositsCurrent": (5_000, 2_000),
        "AssetRetirementObligationsNoncurrent": (2_500, 1_000),
    }
    assets, liabilities = find_notices(compute({}, days, sic=7370), "company-components-days")
    assert read_changes(assets) == {
        "Other receivables net current": 8_395,
        "Long term investments": 4_745,
    }
    assert read_changes(liabilities) == {
        "Long term debt noncurrent": 14_096,
        "Customer deposits current": 3_000,
        "Accounts payable trade current": 2_838,
        "Asset retirement obligations noncurrent": 1_500,
    }


def test_a_line_larger_than_a_total_of_costs_is_no_part_of_it() -> None:
    """MetLife's policyholder benefits of 28.3 billion are beside operating expenses of 10.6 billion, not in them."""
    more: Pair = (28_300, 27_400)
    without = {t: p for t, p in EXPENSES.items() if t != "OccupancyNet"}
    found = compute({**without, "LaborAndRelatedExpense": more})
    [note] = find_notices(found, "company-components-loose")
    assert "Labor and related expense" not in read_changes(note)
    assert "Professional and contract services expense" in read_changes(note)


WELLS_FARGO: dict[str, Pair] = {
    "NoninterestIncome": (10_301, 9_641),
    "FeesAndCommissionsFiduciaryAndTrustActivities": (2_669, 2_215),
    "FeesAndCommissionsOther": (941, 901),
    "TradingActivityGainsAndLossesNet": (537, 787),
    "GainLossOnSaleOfDebtInvestments": (28, -119),
    "NoninterestIncomeOtherOperatingIncome": (610, 552),
    "OperatingLeasesIncomeStatementLeaseRevenue": (185, 130),
}
"""Of two first quarters, in millions."""


def test_fees_trading_and_gains_on_securities_are_lines_of_a_banks_income() -> None:
    """What is left is 5,331 after 5,175, and trading and securities moved most after the fees of trusts."""
    [note] = find_notices(compute(WELLS_FARGO), "company-components-loose")
    assert [note[name]["value"] for name in ("left", "before")] == [5_331, 5_175]
    assert [*read_changes(note).values()] == [454, -250, 147, 58, 55]


def test_fact_that_is_what_lines_leave_of_a_total_is_named() -> None:
    lines: dict[str, Pair] = {"RealEstateFeesOfBranches": (5_331, 5_175)}
    [note] = find_notices(compute(WELLS_FARGO | lines), "company-components-loose")
    assert note["fact"] == "Real estate fees of branches"
    lines = {"RealEstateFeesOfBranches": (5_331, 5_100)}
    [note] = find_notices(compute(WELLS_FARGO | lines), "company-components-loose")
    assert "fact" not in note
