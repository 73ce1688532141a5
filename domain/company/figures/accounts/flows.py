"""Flows that no formula of metrics.json gives: cash flow before interest, and charge-offs by the allowance."""

from dataclasses import replace

from contracts.evidence.rows import Period
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.filed.periods import YEAR
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
_SIGN_YEARS = 3
"""Maximum number of fiscal years that are searched for the sign with which a filer states income tax."""


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
    """Return income before tax as operating and non-operating income, where net income and income tax come to the same.

    Interest is taken off where non-operating income leaves it out.
    """
    tax = accounts.get(period, "income_tax", end)
    found = _find_pretax(accounts, period, end, tax.value) if tax else None
    return found if found and found.value else None


def read_income_tax(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return the income tax filed, without the minus that some filers put before a charge.

    The lines of the income statement show it, of the period or, where they do not, of the newest year of which they do.
    """
    series = accounts.series.get("income_tax")
    filed = accounts.read_period(series, period, end) if series else None
    if not series or not filed or not filed.value:
        return filed
    years = [(year, series.find_span(year, YEAR)) for year in accounts.list_years(_SIGN_YEARS)]
    spans: list[tuple[Period, str, Amount | None]] = [(period, end, filed)]
    spans += [("year", *each) for each in years]
    signs = (_find_sign(accounts, of, day, tax.value) for of, day, tax in spans if tax)
    if next(filter(None, signs), 1) > 0:
        return filed
    return combine(
        -filed.value, f"− {filed.tag or filed.formula}", filed, start=filed.start, end=end
    )


def _find_sign(accounts: FiledAmounts, period: Period, end: str, tax: float) -> int:
    """Return by which sign, 1 or -1, an income tax fits the other lines of its income statement; 0 if that is not known."""
    fitting = [sign for sign in (1, -1) if _find_pretax(accounts, period, end, sign * tax)]
    return fitting[0] if len(fitting) == 1 else 0


def _find_pretax(accounts: FiledAmounts, period: Period, end: str, tax: float) -> Amount | None:
    """Return pretax income, computed from the lines above it, if it equals after-tax income plus this tax.

    `end` is the period's last day. Return None if no combination of the filed lines agrees.
    """
    operating, beyond, interest, given_up = (
        accounts.get(period, name, end)
        for name in (
            "operating_income",
            "nonoperating_income",
            "interest_expense",
            "discontinued_income",
        )
    )
    if not operating or not beyond:
        return None
    names = ("profit", "net_income", "whole_continuing_income")
    incomes = [each.value for name in names if (each := accounts.get(period, name, end))]
    incomes += [each - given_up.value for each in incomes] if given_up else []
    value, words = operating.value + beyond.value, "operating income + non-operating income"
    start = operating.start
    readings = [combine(value, words, operating, beyond, start=start, end=end)]
    if interest:
        named = f"{words} − interest expense"
        parts = (operating, beyond, interest)
        readings += [combine(value - interest.value, named, *parts, start=start, end=end)]
    for found in readings:
        allowed = _SAME_INCOME * abs(found.value)
        if any(abs(found.value - income - tax) <= allowed for income in incomes):
            return found
    return None


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
    """Return the loss of the allowance after the provision added in a period: about its net charge-offs."""
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
