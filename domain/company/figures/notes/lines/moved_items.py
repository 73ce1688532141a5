"""Items that flatter or hurt a period's earnings: which are filed of it and of the year before, and which the filing has none of."""

from collections.abc import Mapping
from typing import NamedTuple

from contracts.evidence.rows import Period
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.series import Amount, list_leaves
from domain.company.figures.notes.lines.item_lines import BEFORE_OTHER
from domain.company.figures.notes.lines.item_taxes import find_odd_tax

HELD_IN_OTHERS = {
    "goodwill_impairment": {"asset_impairment": ""},
    "intangible_impairment": {"asset_impairment": "", "goodwill_impairment": "Intangible"},
    "asset_impairment": {"restructuring_cost": "Impairment"},
    "asset_sale_gain": {"business_sale_gain": "", "restructuring_cost": ""},
}
"""Items that another may hold, by that other and what its tag then names: each of two is taken out once."""
RECURRING = {"reit": ("equity_method_income",)}
"""Items that are the business itself of a kind: a property company holds much of its property in joint ventures."""
OFTEN_RECURRING, LIKE_BEFORE = ("equity_method_income", "investment_result"), 2.0
"""Items that recur where the year before had the same, up to this factor: income of holdings, and interest earned."""
NIL_PART = 0.1
"""Minimum part of an income for an item to be a line of its statement, so that a filing without it a year before had none."""


class Item(NamedTuple):
    """A filed item, the metrics that hold it with its sign, and the revenue that comes with it."""

    name: str
    sign: int
    moved: tuple[str, ...]
    revenue: str = ""


class Moved(NamedTuple):
    """An item with its amounts of a period and of that a year before, and whether the filing has none of one of these."""

    item: Item
    now: float
    then: float
    is_nil: bool = False


ITEMS = (
    Item("litigation", -1, ("operating_income",)),
    Item("restructuring_cost", -1, ("operating_income",)),
    Item("asset_impairment", -1, ("operating_income", "funds_from_operations")),
    Item("partnership_impairment", -1, ("funds_from_operations",)),
    Item("goodwill_impairment", -1, ("operating_income",)),
    Item("intangible_impairment", -1, ("operating_income",)),
    Item("acquired_research", -1, ("operating_income", BEFORE_OTHER)),
    Item("lease_sales", 1, ("revenue",)),
    Item("lease_profit", 1, ("gross_profit", BEFORE_OTHER), "lease_sales"),
    Item("business_sale_gain", 1, ("pretax_income",)),
    Item("asset_sale_gain", 1, ("pretax_income",)),
    Item("equity_method_income", 1, ("pretax_income",)),
    Item("investment_result", 1, ("funds_from_operations", "pretax_income")),
    Item("debt_retired", 1, ("funds_from_operations", "pretax_income")),
    Item("discontinued_result", 1, ("funds_from_operations",)),
    Item("tax_settlement", -1, ("net_income",)),
)

ODD_TAX = Item("income_tax", -1, ("funds_from_operations",))
"""The income tax of a property company in a period that has another one than its kind, or than a year before."""


def find_items(
    accounts: Accounts, length: Period, end: str
) -> tuple[dict[Item, Moved], dict[str, Amount]]:
    """Return the items that are known of a period and of that a year before, and all that are filed of one of them."""
    before = accounts.calendar.find_year_before(end)
    pairs = {
        item: [accounts.get(length, item.name, day) for day in (end, before)] for item in ITEMS
    }
    filed = {
        item.name: amount
        for item, pair in pairs.items()
        if (amount := next((each for each in pair if each and each.value), None))
    }
    known = {
        item: Moved(item, pair[0].value, pair[1].value)
        for item, pair in pairs.items()
        if item.name in filed
        and not is_held(item.name, filed)
        and pair[0]
        and pair[1]
        and not recurs(accounts, length, end, item.name)
    }
    for item, pair in pairs.items():
        if item.name not in filed or item in known or is_held(item.name, filed):
            continue
        one = pair[0] or pair[1]
        if one and not recurs(accounts, length, end, item.name):
            nil = _find_nil(accounts, length, (end, before), item, one)
            known |= {item: nil} if nil else {}
    taxes = [find_odd_tax(accounts, length, day) for day in (end, before)]
    amounts = [accounts.get(length, "income_tax", day) for day in (end, before)]
    if any(taxes) and amounts[0] and amounts[1]:
        known[ODD_TAX] = Moved(ODD_TAX, amounts[0].value, amounts[1].value)
    return known, filed


def _find_nil(
    accounts: Accounts, length: Period, days: tuple[str, str], item: Item, filed: Amount
) -> Moved | None:
    """Return a large item that the newest filing states for one of two periods only, with zero for the other; else None.

    A filing tags both columns of a statement, so an item missing from one column was zero in it. Small details of
    notes may be tagged for one period alone, which is why only large items count.
    """
    known = [[accounts.get(length, name, day) for day in days] for name in item.moved]
    pairs = [[each for each in pair if each] for pair in known if all(pair)]
    leaves = [leaf for pair in pairs for each in pair for leaf in list_leaves(each)]
    wholes = [abs(each.value) for pair in pairs for each in pair if each.end == filed.end]
    if filed.parts or {leaf.stated for leaf in leaves} != {filed.stated}:
        return None
    if abs(filed.value) < NIL_PART * max(wholes):
        return None
    now, then = (filed.value if day == filed.end else 0.0 for day in days)
    return Moved(item, now, then, is_nil=True)


def recurs(accounts: Accounts, length: Period, end: str, name: str) -> bool:
    """Return whether an item is of the business itself, or is in each year, by the year before or by the last fiscal years."""
    if name in RECURRING.get(accounts.kind, ()):
        return True
    if name not in OFTEN_RECURRING:
        return False
    spans: list[tuple[Period, str]] = [(length, end)]
    spans += [("year", year.end) for year in accounts.calendar.years[:1]]
    for of, day in spans:
        now, then = (
            accounts.get(of, name, each) for each in (day, accounts.calendar.find_year_before(day))
        )
        if now and then:
            low, high = sorted((abs(now.value), abs(then.value)))
            return now.value * then.value > 0 and high <= LIKE_BEFORE * low
    return False


def is_held(name: str, filed: Mapping[str, Amount]) -> bool:
    """Return whether an item may be part of another that is filed."""
    others = HELD_IN_OTHERS.get(name, {})
    return any(other in filed and part in filed[other].tag for other, part in others.items())
