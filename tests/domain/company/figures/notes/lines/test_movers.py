"""Notes on what flattered or hurt a figure, with amounts of public filings in millions."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.notices import Notice
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.tables.changes import build_changes
from tests.domain.company.figures.companies import find_notices, listed, row, value
from tests.support.words import en

BEFORE, END = "2023-12-31", "2024-12-31"


def _compute(
    flows: Mapping[str, tuple[float, float]],
    balances: Mapping[str, tuple[float, float]] | None = None,
    sic: int = 0,
) -> Fundamentals:
    """Return fundamentals of a company from the flows of two years, the newer first, and the balances that end them."""
    tags: dict[str, list[dict[str, Any]]] = {
        tag: [
            row(f"{end[:4]}-01-01", end, value, "2025-02-05", "10-K")
            for end, value in zip((END, BEFORE), values, strict=True)
        ]
        for tag, values in flows.items()
    }
    tags |= {
        tag: [
            row("", end, value, "2025-02-05", "10-K")
            for end, value in zip((END, BEFORE), values, strict=True)
        ]
        for tag, values in (balances or {}).items()
    }
    return compute_fundamentals(listed(tags), Company(cik=1, ticker="ACME", name="Acme", sic=sic))


VISA = {
    "Revenues": (35_926, 32_653),
    "OperatingIncomeLoss": (23_595, 21_000),
    "NetIncomeLoss": (19_743, 17_273),
}


def test_provision_that_fell_is_taken_out_of_growth_and_margin() -> None:
    found = _compute(VISA | {"LossContingencyLossInPeriod": (462, 927)})
    [note] = find_notices(found, "company-moved")
    assert (note["growth"], note["rest"]) == (12.4, 9.7)
    assert (note["share"], note["before"]) == (67, 67.2)
    assert any(note.includes(say_metric("operating_income")) for note in found.notes)


def test_tax_settlement_is_taken_out_of_net_income() -> None:
    found = _compute(VISA | {"IncomeTaxReconciliationTaxSettlements": (-223, 0)})
    [note] = find_notices(found, "company-moved")
    assert (note["growth"], note["rest"]) == (14.3, 13)


@pytest.mark.parametrize("values", [(930, 927), (462,)])
def test_item_that_moved_little_or_is_filed_of_one_year_alone_is_no_mover(
    values: tuple[float, ...],
) -> None:
    rows = [
        row(f"{end[:4]}-01-01", end, v, "2025-02-05", "10-K")
        for end, v in zip((END, BEFORE), values, strict=False)
    ]
    told = listed({"LossContingencyLossInPeriod": rows})
    for tag, flows in VISA.items():
        told["facts"]["us-gaap"] |= listed(
            {
                tag: [
                    row(f"{e[:4]}-01-01", e, v, "2025-02-05", "10-K")
                    for e, v in zip((END, BEFORE), flows, strict=True)
                ]
            }
        )["facts"]["us-gaap"]
    found = compute_fundamentals(told, Company(cik=1, ticker="ACME", name="Acme"))
    assert not find_notices(found, "company-moved")


def test_leases_that_are_sold_leave_with_their_revenue() -> None:
    """A quarter of IBM, as two years here: 425 million more of selling profit, on 510 million more of lease revenue."""
    found = _compute(
        {
            "Revenues": (16_977, 15_770),
            "GrossProfit": (9_977, 8_950),
            "SalesTypeLeaseRevenue": (877, 367),
            "SalesTypeLeaseSellingProfitLoss": (725, 301),
        }
    )
    revenue, gross = find_notices(found, "company-moved")
    assert revenue["rest"] == 4.5
    assert (gross["share"], gross["before"]) == (57.5, 56.2)


def test_merger_paid_in_shares_explains_revenue_that_doubled_a_year_later() -> None:
    """Wells Fargo bought a bank of its own size at the end of 2008."""
    flows = {
        "Revenues": (88_686, 41_897),
        "NetIncomeLoss": (12_275, 2_655),
        "StockIssuedDuringPeriodValueAcquisitions": (0, 14_601),
        "ProceedsFromIssuanceOfCommonStock": (21_976, 14_171),
        "PaymentsForRepurchaseOfPreferredStockAndPreferenceStock": (25_000, 0),
    }
    found = _compute(flows, {"StockholdersEquity": (111_786, 99_084)})
    [growth] = find_notices(found, "company-growth")
    assert growth["why"]["amount"]["value"] == 14_601
    [merger] = find_notices(found, "company-acquired-for-shares")
    assert merger["year"] == "FY2023"
    assert len(find_notices(found, "company-shares-issued-for-cash")) == 2
    [repaid] = find_notices(found, "company-preferred-repaid")
    assert repaid["share"] == 22.4


def test_parts_of_revenue_explain_its_growth() -> None:
    """AIG's revenue of 2009 grew thirteenfold as losses on investments ended."""
    flows = {
        "Revenues": (96_004, 6_896),
        "PremiumsEarnedNet": (64_702, 78_564),
        "GainLossOnInvestments": (-6_854, -52_705),
        "NetInvestmentIncome": (25_239, 11_433),
        "OtherIncome": (11_499, -1_794),
    }
    [growth] = find_notices(_compute(flows, sic=6331), "company-growth")
    named = {part.params["metric"].code for part in growth["why"]["parts"]}
    assert named == {"metric-investment-gains", "metric-investment-income", "item-other-revenue"}


def test_what_is_held_for_sale_and_was_sold_is_told() -> None:
    flows = {
        "Revenues": (96_004, 103_000),
        "ProceedsFromDivestitureOfBusinessesNetOfCashDivested": (5_278, 0),
    }
    balances = {
        "Assets": (863_697, 847_585),
        "AssetsHeldForSaleAtCarryingValue": (256_440, 56_379),
        "LiabilitiesOfAssetsHeldForSale": (217_837, 48_599),
    }
    found = _compute(flows, balances)
    [held] = find_notices(found, "company-held-for-sale")
    assert held["share"] == 29.7
    assert find_notices(found, "company-businesses-sold")


def test_goods_and_services_are_apart_where_both_are_filed() -> None:
    both = {"SalesRevenueGoodsNet": (1_175, 2_517), "SalesRevenueServicesNet": (421, 437)}
    total = {"SalesRevenueNet": (1_596, 2_954)}
    found = _compute(total | both)
    growths = {
        f.metric: f.value
        for f in found.figures
        if f.metric.endswith("s_revenue_growth") and f.period == "year"
    }
    assert growths["goods_revenue_growth"] == pytest.approx(-53.3, abs=0.1)
    assert growths["services_revenue_growth"] == pytest.approx(-3.7, abs=0.1)
    alone = _compute(total | {"SalesRevenueGoodsNet": (1_175, 2_517)})
    assert not [f for f in alone.figures if f.metric.startswith("goods_revenue")]


def test_tax_benefit_of_a_year_before_explains_income_that_fell() -> None:
    """IBM's half-year earned 14 % more before tax and 5.5 % less after it."""
    pretax = "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
    flows = {
        "Revenues": (31_519, 30_231),
        "NetIncomeLoss": (3_249, 3_439),
        "IncomeTaxExpenseBenefit": (507, -112),
        pretax: (3_755, 3_293),
    }
    [note] = find_notices(_compute(flows), "company-tax-benefit")
    assert (note["net"], note["pretax"]) == (-5.5, 14)
    assert not find_notices(
        _compute(flows | {"IncomeTaxExpenseBenefit": (507, 444)}), "company-tax-benefit"
    )


def test_current_tax_stands_in_for_tax_paid_in_cash_flow_and_its_growth() -> None:
    flows = {
        "NetCashProvidedByUsedInOperatingActivities": (19_950, 20_755),
        "PaymentsToAcquirePropertyPlantAndEquipment": (1_257, 1_059),
        "IncomeTaxesPaidNet": (5_775, 3_433),
        "CurrentIncomeTaxExpenseBenefit": (4_273, 4_247),
        "IncomeTaxExpenseBenefit": (4_173, 3_764),
    }
    found = _compute(VISA | flows)
    assert value(found, "cash_flow_by_current_tax", "year", END) == 20_195
    [note] = find_notices(found, "company-taxes-above")
    assert (note["growth"], note["rest"]) == (-5.1, 7)
    assert note["gap"]["value"] == 1_502


ASML = {
    "Revenues": (1_596, 2_954),
    "NetIncomeLoss": (-150.9, 322.4),
    "NetCashProvidedByUsedInOperatingActivities": (97.8, 280.7),
    "PaymentsToAcquirePropertyPlantAndEquipment": (105.0, 259.8),
    "IncomeTaxesPaid": (-36.7, 167.4),
    "IncomeTaxExpenseBenefit": (-20.6, -12.7),
}


def test_current_tax_that_is_not_filed_is_the_tax_less_what_is_deferred() -> None:
    """ASML was charged 28.8 of current tax in 2009 and given 36.7 back: 65.5 apart, of -7.2 of free cash flow."""
    found = _compute(ASML | {"DeferredIncomeTaxExpenseBenefit": (-49.4, -34.2)})
    assert value(found, "cash_flow_by_current_tax", "year", END) == pytest.approx(-72.7)
    [note] = find_notices(found, "company-taxes-below")
    assert note["gap"]["value"] == 66, "whole amounts below a million are rounded"
    assert note["charged"] == {}, "current tax has no further words"
    assert any(each.includes(Notice.of("tax-current", "info")) for each in found.notes)


def test_tax_paid_is_set_against_all_tax_only_with_a_word_of_it() -> None:
    found = _compute(ASML)
    assert value(found, "cash_flow_by_current_tax", "year", END) is None
    assert any(each.includes(Notice.of("tax-charged", "info")) for each in found.notes)


@pytest.mark.parametrize(("paid", "cash"), [((-5_775, -3_433), 20_195), ((-5_775, 3_433), 8_645)])
def test_tax_that_is_always_filed_with_a_minus_was_paid(paid: tuple[int, int], cash: int) -> None:
    """Shire files each payment of tax with a minus; a minus in one year alone is a refund."""
    flows = {
        "NetCashProvidedByUsedInOperatingActivities": (19_950, 20_755),
        "PaymentsToAcquirePropertyPlantAndEquipment": (1_257, 1_059),
        "IncomeTaxesPaid": paid,
        "CurrentIncomeTaxExpenseBenefit": (4_273, 4_247),
    }
    assert value(_compute(VISA | flows), "cash_flow_by_current_tax", "year", END) == cash


def test_results_of_investments_are_told_where_they_move_earnings_and_joint_ventures_stay_in() -> (
    None
):
    """Vornado's, in millions: without losses on investments and debt FFO of 2009 was 687.4 for 545.2."""
    flows = {
        "RealEstateRevenueNet": (2_743, 2_693),
        "NetIncomeLoss": (106, 359),
        "NetIncomeLossAvailableToCommonStockholdersBasic": (49, 302),
        "DepreciationAndAmortization": (541, 560),
        "GainLossOnSaleOfProperty": (45, 58),
        "IncomeLossFromEquityMethodInvestments": (-73, -196),
        "InvestmentIncomeInterestAndDividend": (-116, -3),
        "GainsLossesOnExtinguishmentOfDebt": (-26, 10),
    }
    found = _compute(flows, {"Assets": (20_000, 20_000)}, sic=6798)
    [note] = find_notices(found, "company-held")
    assert (note["whole"]["value"], note["rest"]["value"]) == (545, 687)
    assert [each.params["amount"].params["value"] for each in note["items"]] == [-116, -26]
    quiet = _compute(
        flows
        | {"InvestmentIncomeInterestAndDividend": (-43, 0)}
        | {"GainsLossesOnExtinguishmentOfDebt": (43 - 50, 0)},
        {"Assets": (20_000, 20_000)},
        sic=6798,
    )
    assert not find_notices(quiet, "company-held"), "less than a tenth of 595 is taken out"


@pytest.mark.parametrize(
    ("tag", "earned", "is_one_off"),
    [
        ("InvestmentIncomeInterestAndDividend", (2_000, 1_200), False),
        ("InvestmentIncomeInterestAndDividend", (2_000, 69), True),
        ("IncomeLossFromEquityMethodInvestments", (3_000, 2_500), False),
        ("IncomeLossFromEquityMethodInvestments", (3_000, -2_500), True),
    ],
    ids=["interest", "interest that soared", "holdings", "holdings after a loss"],
)
def test_interest_and_holdings_that_earned_as_much_a_year_before_recur(
    tag: str, earned: tuple[float, float], *, is_one_off: bool
) -> None:
    whole = {f"{PRETAX}ExtraordinaryItemsNoncontrollingInterest": (23_916, 21_037)}
    found = _compute(VISA | whole | {tag: earned})
    assert bool(find_notices(found, "company-moved")) is is_one_off
    held = any(each.get("items") for each in find_notices(found, "company-held"))
    assert held is (is_one_off and earned[0] > 2_500)


PRETAX = "IncomeLossFromContinuingOperationsBeforeIncomeTaxes"
BEFORE_HOLDINGS = f"{PRETAX}MinorityInterestAndIncomeLossFromEquityMethodInvestments"
AFTER_HOLDINGS = f"{PRETAX}ExtraordinaryItemsNoncontrollingInterest"


@pytest.mark.parametrize(
    ("rows", "is_told"),
    [
        ({"GainLossOnSaleOfInvestments": (7_715, -1_127)}, False),
        ({"GainLossOnSaleOfInvestments": (-7_715, 1_127)}, True),
        ({BEFORE_HOLDINGS: (-3_216, 5_090)}, False),
        ({BEFORE_HOLDINGS: (-5_452, 5_090)}, True),
        ({}, True),
    ],
    ids=["opposite of its sibling", "as its sibling", "opposite by total", "by total", "alone"],
)
def test_result_of_holdings_is_told_unless_its_row_files_gains_with_a_minus(
    rows: Mapping[str, tuple[float, float]], *, is_told: bool
) -> None:
    """MetLife's loss of 1,118 million in 2009 is a plus in its statement of cash flows, as are its losses on sales."""
    flows = {
        "Revenues": (41_058, 50_989),
        "NetIncomeLoss": (-2_246, 3_209),
        AFTER_HOLDINGS: (-4_334, 5_090),
        "GainLossOnInvestments": (-7_772, 1_812),
        "IncomeLossFromEquityMethodInvestments": (1_118, 0),
    }
    found = _compute(flows | dict(rows), sic=6311)
    assert bool(find_notices(found, "company-held")) is is_told


def test_growth_is_told_without_all_items_that_moved_it_or_none() -> None:
    """Equity Residential's FFO of 2009 grew 6.3 %, 13.2 % without debt repaid early, and fell without impairments too."""
    flows = {
        "RealEstateRevenueNet": (1_944, 1_900),
        "NetIncomeLoss": (362.3, 407.6),
        "NetIncomeLossAvailableToCommonStockholdersBasic": (347.8, 393.1),
        "DepreciationAndAmortization": (247, 166.6),
        "GainsLossesOnExtinguishmentOfDebt": (-17.5, 18.7),
        "AssetImpairmentCharges": (11.1, 116.4),
    }
    found = _compute(flows, {"Assets": (15_000, 16_000)}, sic=6798)
    [note] = find_notices(found, "company-moved-all")
    assert (note["growth"], note["rest"]) == (6.3, -5.2)
    assert [each.params["item"].code for each in note["items"]] == [
        "item-asset-impairment",
        "item-debt-retired",
    ]
    assert not find_notices(found, "company-moved")


def test_spin_off_that_took_much_of_equity_is_named() -> None:
    """J&J's shareholders handed in shares for Kenvue's, 23.8 billion USD: its shares fell without a buyback in cash."""
    flows = VISA | {"StockholdersEquityNoteSpinoffTransaction": (0, -23_786)}
    found = _compute(flows, {"StockholdersEquity": (71_490, 68_774)})
    [note] = find_notices(found, "company-spun-off")
    assert (note["year"], note["share"]) == ("FY2023", 34.6)
    small = VISA | {"StockholdersEquityNoteSpinoffTransaction": (0, -2_378)}
    assert not find_notices(
        _compute(small, {"StockholdersEquity": (71_490, 68_774)}), "company-spun-off"
    )


JNJ = {
    "Revenues": (88_821, 85_159),
    "NetIncomeLoss": (14_066, 13_326),
    AFTER_HOLDINGS: (16_687, 15_062),
    "InterestExpense": (755, 772),
}


@pytest.mark.parametrize(
    ("more", "left", "by_paid"),
    [
        ({"InterestPaidNet": (1_990, 1_836)}, None, 8.8),
        ({"OtherNonoperatingIncomeExpense": (-4_694, -6_634)}, 29.3, None),
        ({"InterestPaidNet": (800, 800), "OtherNonoperatingIncomeExpense": (90, 80)}, None, None),
    ],
    ids=["far more paid", "much other income", "neither"],
)
def test_interest_coverage_is_told_by_interest_paid_and_without_other_income(
    more: Mapping[str, tuple[float, float]], left: float | None, by_paid: float | None
) -> None:
    """J&J's 23.1 times of 2024 are 8.8 of the interest that was paid, and 29.3 without other expense of 4,694."""
    notes = find_notices(_compute(JNJ | dict(more)), "company-coverage")
    assert [note["coverage"] for note in notes] == ([23.1] if left or by_paid else [])
    assert [(n.get("left"), n.get("by_paid")) for n in notes] == (
        [(left, by_paid)] if left or by_paid else []
    )


def test_coverage_by_income_before_tax_has_a_name_of_its_own() -> None:
    """Without operating income it holds other income too, so that it is not set beside that by operating income."""
    names = ("interest_coverage", "interest_coverage_by_pretax")
    read = [
        [value(_compute(JNJ | more), name, "year", END) for name in names]
        for more in ({}, {"OperatingIncomeLoss": (15_100, 14_000)})
    ]
    assert read == [[None, pytest.approx(23.1, abs=0.01)], [20.0, None]]


@pytest.mark.parametrize("other", [0, 300])
def test_income_before_tax_that_just_pays_the_interest_on_top_has_a_coverage_of_nil(
    other: int,
) -> None:
    """Interest of 755 and a loss before tax of 755 leave nothing to cover it with."""
    flows = {AFTER_HOLDINGS: (-755, 15_062), "OtherNonoperatingIncomeExpense": (other, other)}
    notes = find_notices(_compute(JNJ | flows), "company-coverage")
    assert [note["coverage"] for note in notes] == ([0] if other else [])


@pytest.mark.parametrize(("before", "is_first"), [(0, True), (6_800, False)])
def test_dividend_that_began_in_the_newest_year_is_noted(before: float, *, is_first: bool) -> None:
    """Alphabet paid none in 2023, and 0.60 a share in 2024 are three payments."""
    found = _compute(VISA | {"PaymentsOfDividends": (7_363, before)})
    assert bool(find_notices(found, "company-first-dividend")) is is_first


def test_quarter_that_made_most_of_other_income_is_named() -> None:
    """J&J's 5.6 billion of twelve months hold 7.3 of one quarter: a provision that was released."""
    quarters = {"03-31": 90.0, "06-30": -107.0, "09-30": -60.0, "12-31": 7_321.0}
    start = {"03-31": "01-01", "06-30": "04-01", "09-30": "07-01", "12-31": "10-01"}
    odd = [row(f"2024-{start[e]}", f"2024-{e}", a, "2025-02-05") for e, a in quarters.items()]
    flows: dict[str, list[dict[str, Any]]] = {
        tag: [row("2024-01-01", END, amount, "2025-02-05", "10-K")]
        for tag, amount in (
            ("Revenues", 90_627),
            ("NetIncomeLoss", 22_661),
            (AFTER_HOLDINGS, 27_347),
        )
    }
    flows["Revenues"] += [
        row(f"2024-{start[e]}", f"2024-{e}", 22_000, "2025-02-05") for e in quarters
    ]
    found = compute_fundamentals(
        listed(flows | {"OtherNonoperatingIncomeExpense": odd}),
        Company(cik=1, ticker="ACME", name="Acme"),
    )
    [note] = find_notices(found, "company-odd-quarter")
    assert (note["day"], note["part"]["value"]) == (END, 7_321)


UNITED = {
    "Revenues": (400_278, 371_622, 324_162),
    "NetIncomeLoss": (14_405, 22_381, 20_120),
    "OperatingIncomeLoss": (32_287, 32_358, 28_435),
    "InterestExpense": (3_906, 3_246, 2_092),
    AFTER_HOLDINGS: (20_071, 29_112, 26_343),
    "GainLossOnSaleOfBusiness": (3_333, 489, 588),
}
"""UnitedHealth's, in millions: 8,310 of loss below operating income has no line."""


def _compute_years(flows: Mapping[str, tuple[float, ...]]) -> Fundamentals:
    tags = {
        tag: [
            row(f"{2024 - n}-01-01", f"{2024 - n}-12-31", amount, "2025-02-05", "10-K")
            for n, amount in enumerate(amounts)
        ]
        for tag, amounts in flows.items()
    }
    return compute_fundamentals(listed(tags), Company(cik=1, ticker="ACME", name="Acme", sic=6324))


def test_result_beyond_interest_that_was_nil_before_is_taken_out_with_the_gains() -> None:
    found = _compute_years(UNITED)
    [held] = find_notices(found, "company-held")
    assert [each.params["amount"].params["value"] for each in held["items"]] == [3_333, -8_310]
    assert held["rest"]["value"] == 25_048
    [moved] = find_notices(found, "company-moved-all")
    assert (moved["growth"], moved["rest"]) == (-31.1, -12.5)
    holdings = UNITED | {"IncomeLossFromEquityMethodInvestments": (-900, 0, 0)}
    [held] = find_notices(_compute_years(holdings), "company-held")
    values = [each.params["amount"].params["value"] for each in held["items"]]
    assert sorted(values) == [-7_410, -900, 3_333], "the loss of holdings counts once"


@pytest.mark.parametrize(
    "flows",
    [
        {"OperatingIncomeLoss": (23_977, 32_358, 28_435)},
        {AFTER_HOLDINGS: (20_071, 22_112, 26_343)},
        {AFTER_HOLDINGS: (20_071, 29_112)},
    ],
    ids=["nil now", "large before too", "too few years"],
)
def test_gains_that_are_taken_out_alone_are_called_so(
    flows: Mapping[str, tuple[float, ...]],
) -> None:
    notes = [n for n in _compute_years(UNITED | dict(flows)).notes if n.code == "company-held"]
    assert [each.params["of"] for each in notes] == [Notice.of("held-gains", "info")]


@pytest.mark.parametrize(
    ("charged", "filed", "rest"),
    [
        (1_113, "2025-02-05", -10.1),
        (40, "2025-02-05", None),
        (1_113, "2024-02-05", None),
    ],
    ids=["of the newest filing", "too small to be a line", "of another filing"],
)
def test_large_item_that_the_filing_has_of_one_year_alone_was_none_in_the_other(
    charged: float, filed: str, rest: float | None
) -> None:
    """Kroger wrote off 1.11 billion of goodwill in 2009, and its statement has no such line of the year before."""
    days = ((END, "2025-02-05"), (BEFORE, filed))
    flows = {"OperatingIncomeLoss": (1_091, 2_452), "NetIncomeLoss": (70, 1_249)}
    tags = {
        tag: [
            row(f"{end[:4]}-01-01", end, amount * 1e6, day, "10-K")
            for (end, day), amount in zip(days, amounts, strict=True)
        ]
        for tag, amounts in flows.items()
    }
    tags["Revenues"] = [
        row(f"{end[:4]}-01-01", end, 76e9, "2025-02-05", "10-K") for end in (END, BEFORE)
    ]
    tags["GoodwillImpairmentLoss"] = [row("2024-01-01", END, charged * 1e6, "2025-02-05", "10-K")]
    found = compute_fundamentals(listed(tags), Company(cik=1, ticker="ACME", name="Acme"))
    told = [note["rest"] for note in find_notices(found, "company-moved")]
    assert told == ([rest] if rest else [])
    if rest:
        [note] = [note for note in found.every_note if note.code == "company-moved"]
        assert note.params["then"] == Notice.of("none-filed", "info")


LINE_BEFORE_TAX = (
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
)


def test_income_before_tax_is_told_without_items_of_the_lines_above_it() -> None:
    """A quarter of IBM, as two years here: 17.0 % more, with 424 million more of profit on leases that were sold."""
    found = _compute(
        {
            "Revenues": (16_977, 15_770),
            "GrossProfit": (9_977, 8_950),
            "SalesTypeLeaseSellingProfitLoss": (725, 301),
            "RestructuringCharges": (17, 18),
            LINE_BEFORE_TAX: (2_597, 2_219),
            "NetIncomeLoss": (2_194, 1_834),
        }
    )
    [pretax] = [each for each in found.changes if each.metric == "pretax_income"]
    assert pretax.without_items == -2.4
    grid = build_changes(found)
    assert grid
    assert grid.more == en("grid-changes-untaxed")
    plain = build_changes(_compute(VISA | {LINE_BEFORE_TAX: (23_916, 21_037)}))
    assert plain
    assert not plain.more
