"""What stands beside payouts, shares and net debt: option proceeds, unpaid investment, obligations by year."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from tests.domain.company.figures.companies import find_notices, listed, of, row, year

Triple = tuple[float, float, float]
FLOWS: dict[str, Triple] = {
    "Revenues": (164_501, 134_902, 116_609),
    "NetCashProvidedByUsedInOperatingActivities": (91_328, 71_113, 50_475),
    "PaymentsToAcquirePropertyPlantAndEquipment": (37_256, 27_045, 31_186),
    "CapitalExpendituresIncurredButNotYetPaid": (7_127, 4_105, 3_319),
    "PaymentsForRepurchaseOfCommonStock": (30_125, 19_774, 27_956),
    "PaymentsOfDividends": (5_072, 0, 0),
    "ProceedsFromStockOptionsExercised": (5_072, 0, 0),
}
DUE = (26_335, 2_548, 812, 227, 153, 2_749)
STEPS = (
    *(f"DueIn{each}" for each in ("NextTwelveMonths", "SecondYear", "ThirdYear", "FourthYear")),
    *("DueInFifthYear", "DueAfterFifthYear"),
)


def _compute(
    flows: Mapping[str, Triple], days: Mapping[str, float] | None = None, shares: Any = None
) -> Fundamentals:
    tags = {
        tag: [
            row(f"{n}-01-01", f"{n}-12-31", amount * 1e6, "2025-02-05", "10-K")
            for n, amount in zip((2024, 2023, 2022), amounts, strict=True)
        ]
        for tag, amounts in flows.items()
    }
    for tag, amount in (days or {}).items():
        tags[tag] = [row("", "2024-12-31", amount * 1e6, "2025-02-05", "10-K")]
    facts = listed(tags)
    facts["facts"]["us-gaap"] |= shares or {}
    return of(facts)


def test_unpaid_investment_is_taken_off_free_cash_flow_of_both_years() -> None:
    [note] = find_notices(_compute(FLOWS), "company-unpaid-spending")
    assert (note["owed"]["value"], note["before"]["value"]) == (7.13, 4.11)
    assert (note["left"]["value"], note["growth"], note["rest"]) == (51.1, 22.7, 17.9)


def test_unpaid_investment_that_hardly_moved_has_no_note() -> None:
    still: dict[str, Triple] = {"CapitalExpendituresIncurredButNotYetPaid": (4_200, 4_105, 3_319)}
    assert not find_notices(_compute(FLOWS | still), "company-unpaid-spending")


def test_what_options_brought_is_taken_off_buybacks() -> None:
    [note] = find_notices(_compute(FLOWS), "company-net-buybacks")
    assert (note["net"]["value"], note["gross"], note["left"]) == (25.1, 65.1, 55.7)
    none: dict[str, Triple] = {"PaymentsForRepurchaseOfCommonStock": (0, 0, 0)}
    assert not find_notices(_compute(FLOWS | none), "company-net-buybacks")


@pytest.mark.parametrize("is_whole", [True, False])
def test_obligations_are_told_by_year_where_each_year_is_filed(is_whole: bool) -> None:
    due = dict(zip(STEPS, DUE, strict=True))
    days = {f"ContractualObligation{step}": each for step, each in due.items()}
    days |= {"ContractualObligation": sum(DUE), "SupplierFinanceProgramObligation": 5_790}
    if not is_whole:
        del days["ContractualObligationDueInThirdYear"]
    [note] = find_notices(_compute(FLOWS, days), "company-obligations")
    kinds = {each.code: each.params for each in note["kinds"]}
    assert [*kinds] == ["obligation-supplier", "obligation-contractual"]
    contracts = kinds["obligation-contractual"]
    assert contracts["amount"].params["value"] == 32.8
    assert len(contracts.get("due", [])) == (len(DUE) if is_whole else 0)


def test_basic_shares_are_told_where_diluted_ones_changed_otherwise() -> None:
    def count(tag: str, now: float, then: float) -> dict[str, Any]:
        rows = [
            row(f"{n}-01-01", f"{n}-12-31", amount * 1e6, "2025-02-05", "10-K")
            for n, amount in ((2024, now), (2023, then))
        ]
        found: dict[str, Any] = listed({tag: rows}, "shares")["facts"]["us-gaap"]
        return found

    basic = count("WeightedAverageNumberOfSharesOutstandingBasic", 2_534, 2_574)
    for now, told in ((2_614, [(-1.6, -0.6)]), (2_590, [])):
        more = count("WeightedAverageNumberOfDilutedSharesOutstanding", now, 2_629)
        notes = find_notices(_compute(FLOWS, shares=basic | more), "company-basic-shares")
        assert [(note["basic"], note["diluted"]) for note in notes] == told


@pytest.mark.parametrize("loss", [2024, 2023])
def test_diluted_shares_are_not_compared_with_those_of_a_loss_that_leaves_awards_out(
    loss: int,
) -> None:
    """ASML's 432,615 thousand of 2009 are the basic ones: options did not shrink by 0.37 percent."""
    basic = {2023: 431_620e3, 2024: 432_615e3}
    diluted = basic | {4047 - loss: basic[4047 - loss] + 2_585e3}
    counts = {
        f"WeightedAverageNumber{tag}": [
            row(f"{n}-01-01", f"{n}-12-31", count, "2025-02-05", "10-K")
            for n, count in numbers.items()
        ]
        for tag, numbers in (
            ("OfSharesOutstandingBasic", basic),
            ("OfDilutedSharesOutstanding", diluted),
        )
    }
    found = _compute(FLOWS, shares=listed(counts, "shares")["facts"]["us-gaap"])
    assert not find_notices(found, "company-basic-shares")
    assert not [f for f in found.figures if f.metric == "diluted_shares_growth"]


def test_the_newest_dividend_is_told_where_it_grew_otherwise_than_the_year() -> None:
    income = [*year(2023, (100, 100, 100, 100)), *year(2024, (100, 100, 100, 100))]
    shares = [*year(2023, (0.91, 1.01, 1.01, 1.01)), *year(2024, (1.01, 1.06, 1.06, 1.06))]
    facts = listed({"Revenues": income, "NetIncomeLoss": income})
    per_share = listed({"CommonStockDividendsPerShareDeclared": shares}, "USD/shares")
    facts["facts"]["us-gaap"] |= per_share["facts"]["us-gaap"]
    [note] = find_notices(of(facts, "2025-03-01"), "company-dividend-run")
    assert (note["growth"], note["twelve"], note["run"]) == (5, 6.3, 4.24)


@pytest.mark.parametrize(("sic", "is_noted"), [(3571, True), (6021, False), (6311, False)])
def test_obligations_are_set_against_net_debt_where_that_applies(
    sic: int, *, is_noted: bool
) -> None:
    """JPMorgan's purchases were said to be left out of a net debt that no bank has."""
    tags = {
        "Revenues": [row("2024-01-01", "2024-12-31", 1_000.0, "2025-02-05", "10-K")],
        "PurchaseObligation": [row("", "2024-12-31", 100.0, "2025-02-05", "10-K")],
    }
    found = compute_fundamentals(
        listed(tags), Company(cik=1, ticker="ACME", name="Acme Corp.", sic=sic)
    )
    assert bool(find_notices(found, "company-obligations")) is is_noted
