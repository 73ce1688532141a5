"""Flows of a property company that no formula of metrics.json gives."""

from contracts.evidence.rows import Period
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.filed.series import Amount, combine

_ODD_LOSS = 0.1
"""Minimum share of gains on sales at which a loss on sales is taken as filed separately from them."""
_SLIGHT_TAX = 0.05
"""Maximum share of funds from operations at which a property company’s income tax counts as negligible."""
_ROUNDING = 0.01


def take_off_disposal_gains(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return the income of discontinued operations without the gains on their disposal.

    Where income before and after discontinued operations shows that the gains are no part of it, it is the income itself.
    """
    income, gains, profit, continuing = (
        accounts.get(period, name, end)
        for name in ("discontinued_filed", "disposal_gains", "profit", "whole_continuing_income")
    )
    if not income or not gains:
        return None
    left = income.value - gains.value
    if profit and continuing:
        whole = profit.value - continuing.value
        if abs(whole - income.value - gains.value) < abs(whole - income.value):
            return income
    elif left < -_ODD_LOSS * abs(gains.value):
        return None
    words = "income of discontinued operations − gains on their disposal"
    return combine(left, words, income, gains, start=income.start, end=end)


def find_whole_continuing(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return filed income from continuing operations before partners' part, where their part of it is not filed.

    Partners also take part in gains on sold properties, so all of their income is no part of continuing operations.
    """
    whole, net, profit = (
        accounts.get(period, name, end)
        for name in ("whole_continuing_income", "net_income_filed", "profit")
    )
    is_shared = net and profit and abs(profit.value - net.value) > _ROUNDING * abs(net.value)
    if not whole or not is_shared:
        return None
    of_owners = ("owners_income", "continuing_minority_income")
    return whole if all(accounts.series[name].is_empty for name in of_owners) else None


def add_property_lines(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return net operating income: rents less the costs of the properties.

    It is None unless operating income before depreciation fits: with less, a line of costs would be counted twice.
    """
    rents, costs, taxes, earned, revenue = (
        accounts.get(period, name, end)
        for name in (
            "lease_revenue",
            "property_operating_costs",
            "property_taxes",
            "operating_income_before_depreciation",
            "revenue",
        )
    )
    if not (rents and costs and taxes and earned and revenue):
        return None
    managed = accounts.get(period, "property_management", end)
    parts = [costs, taxes, *([managed] if managed else [])]
    value = rents.value - sum(part.value for part in parts)
    if value < earned.value - (revenue.value - rents.value) - _ROUNDING * abs(earned.value):
        return None
    words = (
        f"lease revenue − operating costs of properties − taxes{' − management' if managed else ''}"
    )
    return combine(value, words, rents, *parts, start=rents.start, end=end)


def find_slight_tax(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return the income tax of a property company that pays hardly any, as it distributes its income."""
    tax = _read_slight_tax(accounts, period, end)
    return tax if tax and tax.value >= 0 else None


def find_slight_benefit(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return the small income tax benefit of a property company, as a positive amount."""
    tax = _read_slight_tax(accounts, period, end)
    if not tax or tax.value >= 0:
        return None
    return combine(-tax.value, f"−{tax.tag or tax.formula}", tax, start=tax.start, end=end)


def _read_slight_tax(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return a property company’s income tax or benefit if it is negligible against its funds from operations."""
    tax, earned = (accounts.get(period, n, end) for n in ("income_tax", "funds_from_operations"))
    return tax if tax and earned and abs(tax.value) <= _SLIGHT_TAX * earned.value else None
