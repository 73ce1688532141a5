"""Flows that no formula of metrics.json gives: cash flow without interest income, and charge-offs by the allowance."""

from contracts.evidence.rows import Period
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.filed.series import Amount, combine
from domain.company.figures.numbers import round_up

_MOST_LENT = 1.05
"""Loans that grow by more within a period were bought or consolidated, with an allowance that no provision made."""
_HIGH_TAX = 50.0
"""A tax rate in percent above which it is an odd year’s, and says nothing on what interest bears."""


def take_off_interest(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return free cash flow less interest income after tax: the cash that earns it is no part of enterprise value."""
    cash, interest, rate = (
        accounts.get(period, name, end)
        for name in ("free_cash_flow", "interest_income", "effective_tax_rate")
    )
    if not (cash and interest and rate) or interest.value <= 0 or rate.value > _HIGH_TAX:
        return None
    words = f"free cash flow − interest income × (1 − {round_up(rate.value)}%)"
    value = cash.value - interest.value * (1 - rate.value / 100)
    return combine(value, words, cash, interest, rate, start=cash.start, end=end)


def imply_charge_offs(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return what the allowance lost beside the provision that was added in a period: about its net charge-offs."""
    before = {
        "year": accounts.calendar.find_year_end_before(end),
        "quarter": accounts.calendar.find_quarter_before(end),
    }.get(period, "")
    then, now = (accounts.get("instant", "credit_allowance", day) for day in (before, end))
    added = accounts.get(period, "credit_provision", end)
    lent, owed = (accounts.get("instant", "loans", day) for day in (before, end))
    if not (then and now and added and lent and owed) or owed.value > _MOST_LENT * lent.value:
        return None
    words = f"allowance on {before} + provision − allowance on {end}"
    value = then.value + added.value - now.value
    return combine(value, words, then, added, now, start=added.start, end=end)
