"""Capital expenditure that is divided among several lines of the cash flow statement."""

import re
from collections.abc import Iterator

from contracts.evidence.rows import Period
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.accounts.sums import add_tags
from domain.company.figures.filed.series import Amount
from domain.company.figures.numbers import find_step

_SPENT = re.compile(
    r"Payments(To(Acquire|Develop|Explore)|For(Software|CapitalImprovements|ProceedsFrom(?!.*(Debt|Borrowing|Financing))))"
)
_BROUGHT = re.compile(
    r"Proceeds(FromSale|FromMaturit|FromDisposal|FromCollection|FromDivestiture|FromPaymentsFor.*Investing)"
    r"(?!.*(Stock|Shares|Treasury|Debt$|Financing))"
)
"""How lines of investing cash flow are named that take cash, and that bring it."""
_YEARS = 2


def find_further_spending(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return further capital expenditure, which the investing lines need to add up to their total.

    What a fiscal year shows of its lines also holds for its shorter periods, which are divided alike.
    """
    filed = accounts.read_period(accounts.series["capital_expenditure"], period, end)
    parts = [*_list_parts(accounts, period, end)] if filed else []
    if not filed or not parts:
        return None
    if period != "year":
        years = accounts.list_years(_YEARS)
        shown = any(accounts.get("year", "further_spending", year) for year in years)
        return add_tags(parts) if shown else None
    total = accounts.get("year", "investing_cash_flow", end)
    return add_tags(parts) if total and _adds_up(accounts, total) else None


def _list_parts(accounts: FiledAmounts, period: Period, end: str) -> Iterator[Amount]:
    for series in accounts.parts["capital_parts"]:
        found = accounts.read_period(series, period, end)
        if found and found.value:
            yield found


def _adds_up(accounts: FiledAmounts, total: Amount) -> bool:
    """Return whether all filed investing lines of a year, each once, add up to its investing cash flow."""
    lines = dict[str, float]()
    for sign, named in ((-1, _SPENT), (1, _BROUGHT)):
        for tag, fact in accounts.facts.list_within(
            total.start, total.end, accounts.currency, named
        ):
            lines |= {tag: sign * fact.value} if fact.start else {}
    near = len(lines) * min((find_step(each) for each in lines.values() if each), default=1.0)
    return bool(lines) and abs(sum(lines.values()) - total.value) <= near
