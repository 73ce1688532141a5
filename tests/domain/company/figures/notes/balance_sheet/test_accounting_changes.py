"""Notes on what a change of accounting moved, with amounts of JPMorgan's filings of 2010 in millions."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from tests.domain.company.figures.companies import find_notices, listed, row

BEFORE, YEAR_END, END = "2008-12-31", "2009-12-31", "2010-03-31"
FLOWS = {
    "Revenues": (100_434, 27_671),
    "NetIncomeLoss": (11_728, 3_326),
    "InterestIncomeExpenseNet": (51_152, 13_710),
    "NoninterestIncome": (49_282, 13_961),
    "NoninterestExpense": (52_352, 16_124),
    "ProvisionForLoanLeaseAndOtherLosses": (32_015, 7_010),
    "PaymentsOfDividends": (3_422, 253),
}
DAYS: dict[str, tuple[float, ...]] = {
    "Assets": (2_175_052, 2_031_989, 2_135_796),
    "StockholdersEquity": (166_884, 165_365, 164_721),
    "RetainedEarningsAccumulatedDeficit": (54_013, 62_481, 61_043),
    "LoansAndLeasesReceivableNetOfDeferredIncome": (744_898, 633_458, 713_799),
    "LoansAndLeasesReceivableAllowance": (23_164, 31_602, 38_186),
    "BeneficialInterest": (10_561, 15_225, 93_055),
}
BUYBACKS = "PaymentsForRepurchaseOfCommonStock"
NO_BUYBACKS = {BUYBACKS: [row("2009-01-01", YEAR_END, 0, "2010-02-24", "10-K")]}


def _compute(
    days: dict[str, tuple[float, ...]],
    sic: int = 6021,
    shift: int = 0,
    more: dict[str, list[dict[str, Any]]] | None = None,
) -> Fundamentals:
    """Return figures of a bank from two years' and a quarter's flows and three days' balances, so many years later."""

    def move(day: str) -> str:
        return f"{int(day[:4]) + shift}{day[4:]}"

    flows: dict[str, list[dict[str, Any]]] = {
        tag: [
            row(move("2008-01-01"), move(BEFORE), year, move("2009-02-24"), "10-K"),
            row(move("2009-01-01"), move(YEAR_END), year, move("2010-02-24"), "10-K"),
            row(move("2010-01-01"), move(END), quarter, move("2010-05-10")),
        ]
        for tag, (year, quarter) in FLOWS.items()
    }
    balances = {
        tag: [
            row("", move(day), value, move("2010-05-10"))
            for day, value in zip((BEFORE, YEAR_END, END), values, strict=True)
            if value
        ]
        for tag, values in days.items()
    }
    facts = listed(flows | balances | (more or {}))
    return compute_fundamentals(facts, Company(cik=1, ticker="ACME", name="Acme", sic=sic))


def test_allowance_that_came_with_consolidated_loans_is_no_prudence() -> None:
    found = _compute(DAYS)
    [note] = find_notices(found, "company-change-allowance")
    assert note["implied"]["value"] == 426
    assert note["usual"]["value"] == 23_577
    assert note["lent"] == 12.7
    assert find_notices(found, "company-change-balance")[0]["tag"] == "Beneficial interest"


def test_what_retained_earnings_lost_past_income_is_named_with_the_standard() -> None:
    [note] = find_notices(_compute(DAYS, more=NO_BUYBACKS), "company-change-retained")
    assert (note["first"], note["last"]) == (YEAR_END, END)
    assert note["rest"]["value"] == 4511


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="buybacks-unknown"),
        pytest.param(
            {BUYBACKS: [row("2009-01-01", YEAR_END, 9, "2010-02-24", "10-K")]}, id="usual"
        ),
        pytest.param(NO_BUYBACKS | {"PaymentsOfDividends": []}, id="dividends-unknown"),
    ],
)
def test_what_an_unknown_payout_may_have_taken_is_no_effect_of_a_standard(
    more: dict[str, list[dict[str, Any]]],
) -> None:
    assert not find_notices(_compute(DAYS, more=more), "company-change-retained")


@pytest.mark.parametrize(("declared", "is_noted"), [(4_700, False), (300, True)])
def test_dividends_of_a_year_that_a_quarter_declares_leave_retained_earnings(
    declared: float, *, is_noted: bool
) -> None:
    """Walmart declares four dividends in its first quarter, which pays one of them."""
    whole = {"DividendsCash": [row("2010-01-01", END, declared, "2010-05-10")]}
    found = _compute(DAYS, more=NO_BUYBACKS | whole)
    assert bool(find_notices(found, "company-change-retained")) == is_noted


@pytest.mark.parametrize(
    ("tag", "now"), [("BeneficialInterest", 15_500), ("LoansAndLeasesReceivableAllowance", 32_500)]
)
def test_what_moved_as_usual_has_no_note(tag: str, now: float) -> None:
    found = _compute({**DAYS, tag: (*DAYS[tag][:2], now)})
    code = "balance" if tag == "BeneficialInterest" else "allowance"
    assert not find_notices(found, f"company-change-{code}")


def test_a_balance_that_grew_as_before_is_no_new_standard() -> None:
    found = _compute({**DAYS, "BeneficialInterest": (50_000, 60_000, 85_000)})
    assert not find_notices(found, "company-change-balance"), "more by an eightieth of assets alone"


def test_years_in_which_no_standard_took_effect_have_no_notes_by_date() -> None:
    found = _compute(DAYS, shift=3)
    assert not find_notices(found, "company-change-balance")
    assert not find_notices(found, "company-change-retained")
    [note] = find_notices(found, "company-change-allowance")
    assert "standards" not in note, "loans grew by an eighth within a quarter all the same"


@pytest.mark.parametrize("lost", [7_000, None])
def test_standards_on_leases_and_revenue_move_no_allowance(lost: float | None) -> None:
    """Fiscal 2018 and 2019 adopted those on revenue and leases: neither explains an allowance."""
    tag = "FinancingReceivableAllowanceForCreditLossesWriteOffsNet"
    for shift in (8, 9):
        written_off = [
            row(
                f"{2010 + shift}-01-01", f"{2010 + shift}-03-31", lost or 0, f"{2010 + shift}-05-10"
            )
        ]
        days = DAYS | {"LoansAndLeasesReceivableNetOfDeferredIncome": (744_898, 713_799, 713_799)}
        found = _compute(days, shift=shift, more={tag: written_off} if lost else {})
        assert not find_notices(found, "company-change-allowance-rest")
        assert not find_notices(found, "company-change-allowance")


def test_leases_that_a_balance_sheet_begins_to_show_are_a_new_standard() -> None:
    leases = {"OperatingLeaseLiability": (0, 0, 40_000)}
    found = _compute({**DAYS, **leases}, sic=3571, shift=9)
    [note] = find_notices(found, "company-change-balance")
    assert note["tag"] == "Operating lease liability"
    assert "then" not in note


def test_a_filed_cumulative_effect_is_named_once() -> None:
    effect = {
        "CumulativeEffectOfInitialAdoptionOfNewAccountingPrinciple": (0, 0, -4_500),
        "IncomeLossBeforeExtraordinaryItemsAndCumulativeEffectOfChangeInAccountingPrinciple": (
            *(1, 2, 9_000),
        ),
    }
    [note] = find_notices(_compute({**DAYS, **effect}), "company-change-cumulative")
    assert note["amount"]["value"] == -4_500


@pytest.mark.parametrize(("lost", "is_noted"), [(7_000, True), (426, False)])
def test_allowance_that_filed_charge_offs_do_not_explain_came_with_the_standard(
    lost: float, *, is_noted: bool
) -> None:
    """31,602 + 7,010 - 7,000 are 31,612: 6,574 of the 38,186 came otherwise."""
    written_off = [row("2010-01-01", END, lost, "2010-05-10")]
    tag = "FinancingReceivableAllowanceForCreditLossesWriteOffsNet"
    found = _compute(DAYS, more={tag: written_off})
    notes = find_notices(found, "company-change-allowance-rest")
    assert [note["rest"]["value"] for note in notes] == [6_574] * is_noted
    assert not find_notices(found, "company-change-allowance")


@pytest.mark.parametrize(("issued", "is_noted"), [(200, True), (7_000, False)])
def test_debt_that_was_not_issued_came_with_consolidated_entities(
    issued: float, *, is_noted: bool
) -> None:
    """MetLife's long-term debt rose by 6,957 in the quarter in which it issued 163 and repaid 322."""
    flows = {"ProceedsFromIssuanceOfLongTermDebt": issued, "RepaymentsOfLongTermDebt": 322}
    more = {tag: [row("2010-01-01", END, v, "2010-05-10")] for tag, v in flows.items()}
    days = {"Assets": (501_678, 539_314, 565_566), "LongTermDebt": (9_667, 13_220, 20_177)}
    notes = find_notices(_compute({**DAYS, **days}, sic=6311, more=more), "company-change-debt")
    assert [note["rest"]["value"] for note in notes] == [7_079] * is_noted
    assert not find_notices(_compute({**DAYS, **days}, sic=6311, shift=3), "company-change-debt"), (
        "no standard took effect"
    )
