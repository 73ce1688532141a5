"""In which line of an income statement an item sits: in operating income, or perhaps only in income before tax."""

from contracts.evidence.rows import Period
from domain.company.figures.accounts.accounts import Accounts

BEYOND_INTEREST = "result_beyond_interest"
"""Income before tax, without operating income and interest."""
BEFORE_OTHER = "pretax_before_other_income"
OPERATING = "operating_income"
PRETAX = "pretax_income"
_GAINS = ("business_sale_gain", "asset_sale_gain")
"""Items that filers place in operating income or below it."""
_CHARGES = (
    "litigation",
    "restructuring_cost",
    "asset_impairment",
    "goodwill_impairment",
    "intangible_impairment",
)
"""Items that are usually operating costs, but may be reported partly below operating income."""
_YEARS = 3
_NEAR = 0.1
"""An item is no part of a result beyond interest that is less than this share of it."""
_PART = 0.5
"""A change of that result, of this share of an item's, may hold a part of the item."""


def find_lines(
    accounts: Accounts, length: Period, end: str, name: str, lines: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the lines that hold an item of a period: those that it is expected in, as far as other lines bear it out."""
    if name in _GAINS and _sits_in_operating(accounts, length, end, name):
        return (OPERATING, *lines)
    if name in _CHARGES and OPERATING in lines and _may_sit_below(accounts, length, end, name):
        return (PRETAX, *(line for line in lines if line != OPERATING))
    return lines


def _sits_in_operating(accounts: Accounts, length: Period, end: str, name: str) -> bool:
    """Return whether operating income less interest was income before tax in a period that has the item, or a late year."""
    years = [year.end for year in accounts.calendar.years if year.end <= end][:_YEARS]
    for of, day in ((length, end), *(("year", each) for each in years)):
        item, beyond = (accounts.get(of, n, day) for n in (name, BEYOND_INTEREST))
        if item and beyond and abs(beyond.value) < _NEAR * abs(item.value):
            return True
    return False


def _may_sit_below(accounts: Accounts, length: Period, end: str, name: str) -> bool:
    """Return whether the result beyond interest moved on a year before as the charge would move it, and by much of it.

    Interest that was earned is left out of that result.
    """
    before = accounts.calendar.find_year_before(end)
    charge, beyond, earned = (
        [accounts.get(length, n, day) for day in (end, before)]
        for n in (name, BEYOND_INTEREST, "interest_income")
    )
    charged, moved, interest = (
        now.value - then.value if now and then else None for now, then in (charge, beyond, earned)
    )
    if charged is None or moved is None:
        return False
    moved -= interest or 0
    return charged * moved < 0 and abs(moved) >= _PART * abs(charged)
