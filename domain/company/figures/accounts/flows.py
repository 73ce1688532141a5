"""Flows that no formula of metrics.json gives: cash flow before interest, and charge-offs by the allowance."""

from dataclasses import replace

from contracts.evidence.rows import Period
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.filed.series import Amount, combine
from domain.company.figures.numbers import round_up

_MOST_LENT = 1.05
"""Loans that grow by more within a period were bought or consolidated, with an allowance that no provision made."""
_HIGH_TAX = 50.0
"""A tax rate in percent above which it is an odd year’s, and says nothing on what interest bears."""

_RESEARCH = "ResearchAndDevelopmentExpense"
_OWN_RESEARCH = f"{_RESEARCH}ExcludingAcquiredInProcessCost"
_SAME_INCOME = 0.002
"""Two readings of income before tax may differ by this share, by rounding."""


def take_off_interest(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return unlevered free cash flow: interest earned and charged are taken out after tax, to compare with enterprise value.

    Return None unless both kinds of interest and the tax rate are known. A company without debt has no interest charge.
    """
    cash, earned, charged, rate = (
        accounts.get(period, name, end)
        for name in ("free_cash_flow", "interest_income", "debt_interest", "effective_tax_rate")
    )
    if not charged:
        debt = accounts.get("instant", "debt", end)
        charged = replace(earned, value=0.0) if earned and debt and not debt.value else None
    if not (cash and earned and charged and rate) or earned.value < 0 or rate.value > _HIGH_TAX:
        return None
    words = f"free cash flow + (interest expense − interest income) × (1 − {round_up(rate.value)}%)"
    value = cash.value + (charged.value - earned.value) * (1 - rate.value / 100)
    return combine(value, words, cash, charged, earned, rate, start=cash.start, end=end)


def add_pretax_lines(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return income before tax as operating and non-operating income, where net income and income tax come to the same."""
    operating, beyond, tax, profit, net = (
        accounts.get(period, name, end)
        for name in (
            "operating_income",
            "nonoperating_income",
            "income_tax",
            "profit",
            "net_income",
        )
    )
    whole = profit or net
    if not (operating and beyond and tax and whole):
        return None
    value = operating.value + beyond.value
    if not value or abs(value - whole.value - tax.value) > _SAME_INCOME * abs(value):
        return None
    words = "operating income + non-operating income"
    return combine(value, words, operating, beyond, start=operating.start, end=end)


def read_acquired_research(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return acquired research that was charged; a total of research below that without acquired research is that charge.

    By its definition the total holds both, so that a smaller one is filed of the acquired part.
    """
    series = accounts.series.get("acquired_research")
    if series and (filed := accounts.read_period(series, period, end)):
        return filed
    total, own = (accounts.read_tag(period, tag, end) for tag in (_RESEARCH, _OWN_RESEARCH))
    return total if total and own and 0 <= total.value < own.value else None


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
