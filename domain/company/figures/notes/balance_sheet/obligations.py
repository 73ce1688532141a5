"""The note on obligations that net debt leaves out: supplier finance, purchases and further contracts, by year where filed."""

from collections.abc import Iterator
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.kinds import applies
from domain.company.figures.numbers import say_amount

LEAST_OBLIGATION = 0.01
"""Obligations are noted from this part of a year's revenue on, all of them together."""
STEPS = ("InNextTwelveMonths", "InSecondYear", "InThirdYear", "InFourthYear", "InFifthYear")
ANNIVERSARIES = ("First", "Second", "Third", "Fourth", "Fifth")


class ObligationKind(NamedTuple):
    """A kind of obligation: its name, the tags of its total, and those of what falls due in each year."""

    name: str
    totals: tuple[str, ...]
    steps: tuple[str, ...] = ()
    is_of_year: bool = False


KINDS = (
    ObligationKind(
        "supplier", ("SupplierFinanceProgramObligation", "SupplierFinanceProgramObligationCurrent")
    ),
    ObligationKind(
        "contractual",
        ("ContractualObligation",),
        (
            *(f"ContractualObligationDue{step}" for step in STEPS),
            "ContractualObligationDueAfterFifthYear",
        ),
    ),
    ObligationKind(
        "purchase",
        (
            *("PurchaseObligation", "UnrecordedUnconditionalPurchaseObligationBalanceSheetAmount"),
            "UnrecordedUnconditionalPurchaseObligation",
        ),
        (
            *(
                f"UnrecordedUnconditionalPurchaseObligationBalanceOn{each}Anniversary"
                for each in ANNIVERSARIES
            ),
            "UnrecordedUnconditionalPurchaseObligationDueAfterFiveYears",
        ),
    ),
    ObligationKind("commitment", ("LongTermPurchaseCommitmentAmount",), is_of_year=True),
)


def note_obligations(accounts: Accounts) -> Iterator[Notice]:
    """Yield what a company owes under programs and contracts at the end of the newest fiscal year or quarter.

    It is set against net debt, so that a bank or an insurer, of which that says nothing, has no such note.
    """
    if not applies("net_cash", accounts.kind):
        return
    year = next((each.end for each in accounts.calendar.years), "")
    revenue = accounts.get("year", "revenue", year)
    for end in dict.fromkeys(each for each in (accounts.newest_end, year) if each):
        found = {kind: _read(accounts, kind, end) for kind in KINDS}
        whole = sum(total for total, _ in found.values())
        if revenue and whole > LEAST_OBLIGATION * revenue.value > 0:
            told = [_tell(accounts, kind, *each) for kind, each in found.items() if each[0]]
            yield Notice.of("company-obligations", end=end, kinds=told)
            return


def _read(accounts: Accounts, kind: ObligationKind, end: str) -> tuple[float, list[float]]:
    """Return an obligation, and what of it falls due in each year and after; 0 if none is filed of a day."""
    length: Period = "year" if kind.is_of_year else "instant"
    filed = [accounts.read_tag(length, tag, end) for tag in kind.totals]
    steps = [accounts.read_tag("instant", tag, end) for tag in kind.steps]
    due = [step.value for step in steps if step]
    by_year = due if len(due) == len(kind.steps) else []
    total = next((each.value for each in filed if each), sum(by_year))
    return total, by_year


def _tell(accounts: Accounts, kind: ObligationKind, total: float, due: list[float]) -> Notice:
    """Return an obligation with what falls due in the first to the fifth year and after it, where that is filed."""
    amounts = [say_amount(each, accounts.currency) for each in due]
    return Notice.of(
        f"obligation-{kind.name}",
        "info",
        amount=say_amount(total, accounts.currency),
        **({"due": amounts} if amounts else {}),
    )
