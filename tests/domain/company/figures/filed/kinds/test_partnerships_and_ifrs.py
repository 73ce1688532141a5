"""What partnerships, investment companies and filers under IFRS state under tags of their own."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.tables.key_figures import build_key_figures, head_column
from tests.domain.company.figures.companies import figure, find_notices, row, value

END, BEFORE = "2024-12-31", "2023-12-31"


def compute(
    taxonomy: str, units: dict[str, dict[str, list[dict[str, Any]]]], sic: int = 0
) -> Fundamentals:
    tags: dict[str, Any] = {}
    for unit, of in units.items():
        tags |= {tag: {"units": {unit: rows}} for tag, rows in of.items()}
    company = Company(cik=1, ticker="ACME", name="Acme", sic=sic)
    return compute_fundamentals({"facts": {taxonomy: tags}}, company)


def years(*amounts: float, form: str = "10-K") -> list[dict[str, Any]]:
    return [
        row(f"{y}-01-01", f"{y}-12-31", amount, f"{y + 1}-02-05", form, fy=y)
        for y, amount in zip((2023, 2024), amounts, strict=True)
    ]


def days(*amounts: float, form: str = "10-K") -> list[dict[str, Any]]:
    return [
        row("", f"{y}-12-31", amount, f"{y + 1}-02-05", form, fy=y)
        for y, amount in zip((2023, 2024), amounts, strict=True)
    ]


PARTNERSHIP = {
    "USD": {
        "NetIncomeLoss": years(420, 450),
        "PartnersCapital": days(3_100, 3_200),
        "DistributionMadeToLimitedPartnerCashDistributionsPaid": years(378, 405),
    },
    "USD/shares": {
        "DistributionMadeToLimitedPartnerDistributionsPaidPerUnit": years(1.85, 1.95),
        "NetIncomeLossNetOfTaxPerOutstandingLimitedPartnershipUnitDiluted": years(2.1, 2.25),
    },
}


def test_a_partnerships_distributions_are_its_dividends_and_its_partners_capital_its_equity() -> (
    None
):
    found = compute("us-gaap", PARTNERSHIP)
    names = ("dividends", "dividends_per_share", "payout_ratio")
    shown = [value(found, name, "year", END) for name in names]
    assert shown == [405, 1.95, pytest.approx(86.6667)]
    assert value(found, "equity", "instant", END) == 3_200


def test_partners_capital_may_hold_other_owners_part_where_there_are_such() -> None:
    """Some partnerships file the total under the tag: without liabilities it is not told."""
    with_others = PARTNERSHIP["USD"] | {"MinorityInterest": days(80, 90)}
    found = compute("us-gaap", PARTNERSHIP | {"USD": with_others})
    assert value(found, "equity", "instant", END) is None


def test_an_investment_companys_distribution_is_its_dividend_per_share() -> None:
    paid = {"InvestmentCompanyDistributionToShareholdersPerShare": years(1.5, 1.6)}
    held = {"NetIncomeLoss": years(5, 6)}
    found = compute("us-gaap", {"USD": held, "USD/shares": paid}, 6726)
    assert value(found, "dividends_per_share", "year", END) == 1.6


@pytest.mark.parametrize(
    "tag",
    ["DividendsPaidOrdinarySharesPerShare", "DividendsRecognisedAsDistributionsToOwnersPerShare"],
)
def test_a_dividend_per_share_under_ifrs_is_read(tag: str) -> None:
    units = {"DKK": {"ProfitLoss": years(50, 60, form="20-F")}}
    units["DKK/shares"] = {tag: years(9.4, 10.9, form="20-F")}
    assert value(compute("ifrs-full", units), "dividends_per_share", "year", END) == 10.9


def test_what_ifrs_spends_on_intangible_assets_is_not_called_software() -> None:
    """A licence that a drug maker buys is one, too; free cash flow is after it."""
    flows = {
        "ProfitLoss": years(50, 60, form="20-F"),
        "CashFlowsFromUsedInOperatingActivities": years(80, 90, form="20-F"),
        "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities": years(
            20, 25, form="20-F"
        ),
        "PurchaseOfIntangibleAssetsClassifiedAsInvestingActivities": years(4, 30, form="20-F"),
    }
    found = compute("ifrs-full", {"EUR": flows})
    assert value(found, "intangible_spending", "year", END) == 30
    assert value(found, "capitalized_software", "year", END) is None
    assert value(found, "free_cash_flow", "year", END) == 35


@pytest.mark.parametrize("sic", [6029, 6331, 6324, 6798, 4911, 6726, 6770, 3570])
def test_every_kind_of_business_that_files_under_ifrs_has_figures(sic: int) -> None:
    money = {
        "ProfitLossAttributableToOwnersOfParent": years(23, 22, form="20-F"),
        "EquityAttributableToOwnersOfParent": days(185, 190, form="20-F"),
        "Assets": days(3_000, 3_100, form="20-F"),
        "Goodwill": days(4, 4, form="20-F"),
    }
    found = compute("ifrs-full", {"USD": money}, sic)
    assert value(found, "net_income", "year", END) == 22


BANK = {
    "ProfitLossAttributableToOwnersOfParent": years(23, 22, form="20-F"),
    "FeeAndCommissionIncomeExpense": years(12, 13, form="20-F"),
    "EquityAttributableToOwnersOfParent": days(180, 190, form="20-F"),
}


@pytest.mark.parametrize(("common", "returns"), [(22, (11.8919, None)), (20.5, (None, 11.8919))])
def test_a_bank_under_ifrs_has_no_common_equity_where_other_owners_take_a_part_of_its_income(
    common: float, returns: tuple[float | None, float | None]
) -> None:
    """Its equity holds capital notes, which bear a coupon; what they are is filed under no tag of the taxonomy."""
    ordinary = {
        "ProfitLossAttributableToOrdinaryEquityHoldersOfParentEntity": years(
            23, common, form="20-F"
        )
    }
    found = compute("ifrs-full", {"USD": BANK | ordinary}, 6029)
    shown = [value(found, n, "year", END) for n in ("return_on_equity", "return_on_all_equity")]
    assert shown == [each and pytest.approx(each) for each in returns]
    assert value(found, "shareholders_income", "year", END) == common
    assert value(found, "fee_income", "year", END) == 13


def test_the_newest_half_year_of_a_half_yearly_filer_has_a_column_with_its_growth() -> None:
    def halves(*amounts: float) -> list[dict[str, Any]]:
        return [
            row(f"{y}-01-01", f"{y}-06-30", amount, f"{y}-08-10", "6-K")
            for y, amount in zip((2023, 2024, 2025), amounts, strict=True)
        ]

    revenue = [*halves(480, 500, 550), *years(1_000, 1_050, form="20-F")]
    found = compute("ifrs-full", {"EUR": {"Revenue": revenue}})
    assert found.interval == "half_year"
    shown = [value(found, f"revenue{of}", "to_date", "2025-06-30") for of in ("", "_growth")]
    assert shown == [550, 10]
    half = figure(found, "revenue", "to_date", "2025-06-30")
    head = head_column("to_date", "", "2025-06-30", half, "en")
    assert head in build_key_figures(found, "2025-09-01").columns
    changes = {(each.metric, each.period): each.changes for each in found.changes}
    assert changes["revenue", "to_date"] == [10]


@pytest.mark.parametrize(("repaid", "is_told"), [(20, True), (1, False)])
def test_free_cash_flow_under_ifrs_says_that_it_is_before_the_repayment_of_leases(
    repaid: float, *, is_told: bool
) -> None:
    flows = {
        "ProfitLoss": years(50, 60, form="20-F"),
        "CashFlowsFromUsedInOperatingActivities": years(80, 90, form="20-F"),
        "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities": years(
            20, 25, form="20-F"
        ),
        "PaymentsOfLeaseLiabilitiesClassifiedAsFinancingActivities": years(18, repaid, form="20-F"),
    }
    notes = find_notices(compute("ifrs-full", {"EUR": flows}), "company-lease-payments")
    assert [(n["cash"]["value"], n["rest"]["value"]) for n in notes] == [(65, 45)] * is_told
