"""The income tax on what items that need not recur leave of income before tax, by the filed tax reconciliation."""

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.series import Amount
from domain.company.figures.numbers import round_up, say_amount

RECONCILIATION = "IncomeTaxReconciliation"
STATUTORY_TAX = f"{RECONCILIATION}IncomeTaxExpenseBenefitAtFederalStatutoryIncomeTaxRate"
TAX_LINES = tuple(
    f"{RECONCILIATION}{line}"
    for line in (
        "DispositionOfBusiness",
        "DispositionOfAssets",
        "NondeductibleExpenseImpairmentLosses",
        "NondeductibleExpenseRestructuringCharges",
        "NondeductibleExpenseResearchAndDevelopment",
    )
)
"""Tags of the tax of items that need not recur, beyond the statutory rate on them."""
ODD_SHARE, ODD_FACTOR = 0.05, 2.0
"""A property company's tax is odd above this share of FFO, unless the year before had the same up to the factor."""


def find_odd_tax(accounts: Accounts, length: Period, end: str) -> Amount | None:
    """Return the income tax of a property company, which pays hardly any, if it is large and was not so a year before."""
    if accounts.kind != "reit":
        return None
    tax, then = (
        accounts.get(length, "income_tax", day)
        for day in (end, accounts.calendar.find_year_before(end))
    )
    earned = accounts.get(length, "funds_from_operations", end)
    if not tax or not earned or abs(tax.value) <= ODD_SHARE * abs(earned.value):
        return None
    if not then:
        return tax if tax.value < 0 else None
    is_alike = tax.value * then.value > 0 and abs(tax.value) <= ODD_FACTOR * abs(then.value)
    return None if is_alike else tax


def tax_rest(
    accounts: Accounts, length: Period, whole: Amount, total: float
) -> dict[str, Notice | list[Notice] | float]:
    """Return the tax on what items leave of income before tax, by the filed lines of the tax reconciliation.

    It is empty where no such line is filed for items of their kind: the year's rate says nothing on theirs.
    """
    end = whole.end
    lines = [(tag, each) for tag in TAX_LINES if (each := accounts.read_tag(length, tag, end))]
    lines = [(tag, each) for tag, each in lines if each.value]
    statutory = accounts.read_tag(length, STATUTORY_TAX, end)
    tax = accounts.get(length, "income_tax", end)
    rest = whole.value - total
    if not (lines and statutory and tax) or whole.value <= 0 or rest <= 0:
        return {}
    rate = statutory.value / whole.value
    left = tax.value - rate * total - sum(each.value for _, each in lines)
    told = [
        Notice.of(
            "named-amount",
            "info",
            metric=name_line(tag.removeprefix(RECONCILIATION), accounts.facts),
            amount=say_amount(each.value, accounts.currency),
        )
        for tag, each in lines
    ]
    rates = {"statutory": rate, "rate": left / rest, "before": tax.value / whole.value}
    return {
        "lines": told,
        "tax": say_amount(left, accounts.currency),
        **{name: round_up(100 * value) for name, value in rates.items()},
    }
