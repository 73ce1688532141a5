"""Notices on what moved a figure: items that flattered or hurt its growth, and gains and charges that need not recur."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import GROWTH, LABELS, say_metric
from domain.company.figures.filed.series import Amount
from domain.company.figures.notes.lines.item_lines import (
    BEFORE_OTHER,
    BEYOND_INTEREST,
    OPERATING,
    PRETAX,
    find_lines,
)
from domain.company.figures.notes.lines.item_taxes import find_odd_tax, tax_rest
from domain.company.figures.notes.lines.moved_items import (
    ITEMS,
    Item,
    Moved,
    find_items,
    is_held,
    recurs,
)
from domain.company.figures.notes.periods import name_period
from domain.company.figures.numbers import round_up, say_amount

MOVED_POINTS = 1.0
"""An item is named if growth without it differs by at least this many points, and by `MOVED_SHARE` of the growth."""
MOVED_SHARE = 0.05
HELD_SHARE = 0.1
"""Items that do not recur are named if they are this part of earnings before them, or more."""
HELD = {
    "equity_method_income": 1,
    "investment_result": 1,
    "debt_retired": 1,
    "business_sale_gain": 1,
    "revaluation_gain": 1,
    "litigation": -1,
    "restructuring_cost": -1,
    "asset_impairment": -1,
    "partnership_impairment": -1,
    "goodwill_impairment": -1,
    "intangible_impairment": -1,
    "asset_sale_gain": 1,
    "acquired_research": -1,
    "merger_cost": -1,
}
"""Items of earnings that are not of the business itself, or need not recur, with their effect: gains and charges alike."""
BELOW_OPERATING = (
    "equity_method_income",
    "investment_result",
    "debt_retired",
    "business_sale_gain",
    "asset_sale_gain",
)
"""Items that a result beyond interest may hold."""
NIL_SHARE, NIL_YEARS = 0.02, 2
"""A result beyond interest is an item where it is large and was about nil before: if it was at most this share of income before tax in each of so many years."""
HOLDING = {
    OPERATING: ("gross_profit",),
    BEFORE_OTHER: ("gross_profit", OPERATING),
    PRETAX: ("gross_profit", OPERATING, BEFORE_OTHER),
}
"""Incomes, each with those above it in a statement, whose items it holds as well."""
EARNINGS = ("funds_from_operations", "pretax_income")


class Left(NamedTuple):
    """A metric's growth with and without items, its shares of revenue without them, and items of one of the two periods alone."""

    items: Sequence[Moved]
    growth: float
    rest: float
    share: float | None = None
    share_before: float | None = None
    alone: Sequence[tuple[str, Amount]] = ()


def note_movers(accounts: Accounts, length: Period, end: str, period: Notice) -> Iterator[Notice]:
    """Yield the items that flattered or hurt a period's growth, with the growth that is left without all of them."""
    for name, left in find_moved(accounts, length, end):
        told = [_tell_moved(accounts, each) for each in left.items]
        kept = _tell_kept(accounts, length, name, left.alone)
        growths = {"growth": left.growth, "rest": left.rest}
        shares = {"share": left.share, "before": left.share_before}
        more = {"metric": say_metric(name), "kept": kept, **growths, **shares}
        if len(told) == 1:
            yield Notice.of("company-moved", period=period, **told[0].params, **more)
        else:
            yield Notice.of("company-moved-all", period=period, items=told, **more)


def find_moved(accounts: Accounts, length: Period, end: str) -> Iterator[tuple[str, Left]]:
    """Yield the metrics with growth in a period that items moved much, with the growth without those items."""
    known, filed = find_items(accounts, length, end)
    lines = {item: find_lines(accounts, length, end, item.name, item.moved) for item in known}
    for name in dict.fromkeys([*(name for item in ITEMS for name in item.moved), PRETAX]):
        items = [known[item] for item, of in lines.items() if name in of]
        if items or name == PRETAX:
            within = {name, *HOLDING.get(name, ())}
            items = [known[item] for item, of in lines.items() if within & {*of}]
        beyond = _find_beyond_interest(accounts, length, end) if name == "pretax_income" else 0.0
        before = accounts.calendar.find_year_before(end)
        if beyond and (then := accounts.get(length, BEYOND_INTEREST, before)):
            items.append(Moved(Item(BEYOND_INTEREST, 1, (name,)), beyond, then.value))
        if left := _leave_out(accounts, length, end, items, name):
            alone = [
                (item.name, amount)
                for item in ITEMS
                if name in item.moved
                and item not in known
                and not is_held(item.name, filed)
                and (amount := filed.get(item.name))
            ]
            yield name, left._replace(alone=alone)


def note_held(
    accounts: Accounts,
    spans: Sequence[tuple[Period, str]],
    rests: Mapping[tuple[Period, str], tuple[float, bool]],
    charges: Mapping[tuple[Period, str], tuple[str, float]],
) -> Iterator[Notice]:
    """Yield what is left of a period's earnings without the gains and charges that need not recur.

    `rests` are charges, or gains, that no line names, and whether facts of their size were found. Without such facts
    nothing is taken out that has the other sign: a gain would be, and a charge left in. `charges` are found by the
    cash flow statement.
    """
    for length, end in spans:
        items = [*_list_held(accounts, length, end)]
        charge, amount = charges.get((length, end), ("", 0.0))
        if amount and charge not in dict(items):
            items.append((charge, -amount))
        name = next((n for n in EARNINGS if accounts.get(length, n, end)), "")
        rest, is_found = rests.get((length, end), (0.0, False))
        beyond = _find_beyond_interest(accounts, length, end) if name == "pretax_income" else 0.0
        if rest and is_found:
            items.append(("found_by_size", rest))
        elif beyond:
            items.append((BEYOND_INTEREST, beyond))
        elif rest * sum(value for _, value in items) < 0:
            continue
        signs = {value > 0 for _, value in items}
        of = "all" if len(signs) > 1 else "gains" if signs == {True} else "charges"
        whole = accounts.get(length, name, end) if name else None
        total = sum(value for _, value in items)
        if whole and abs(total) > HELD_SHARE * abs(whole.value - total):
            yield Notice.of(
                "company-held",
                metric=say_metric(name),
                period=name_period(length, end),
                whole=say_amount(whole.value, accounts.currency),
                items=[
                    Notice.of(
                        "named-amount",
                        "info",
                        metric=name_item(item),
                        amount=say_amount(value, accounts.currency),
                    )
                    for item, value in items
                ],
                of=Notice.of(f"held-{of}", "info"),
                rest=say_amount(whole.value - total, accounts.currency),
                owners=_tell_of_owners(accounts, length, end, name, total),
                **(tax_rest(accounts, length, whole, total) if name == PRETAX else {}),
            )


def _tell_of_owners(
    accounts: Accounts, length: Period, end: str, name: str, total: float
) -> Notice | None:
    """Return FFO of all owners without items, which a multiple is of where partners have much of them; else None."""
    is_shared = not accounts.get(length, "ffo_per_share", end)
    whole = accounts.get(length, "all_owners_ffo", end)
    if name != "funds_from_operations" or not is_shared or not whole:
        return None
    return say_amount(whole.value - total, accounts.currency)


def _find_beyond_interest(accounts: Accounts, length: Period, end: str) -> float:
    """Return a large non-operating result beyond interest that was about nil before, without items that it may hold; else 0."""
    shares, day = list[float](), end
    for _ in range(NIL_YEARS + 1):
        found, whole = (accounts.get(length, n, day) for n in (BEYOND_INTEREST, "pretax_income"))
        if not found or not whole or not whole.value:
            return 0.0
        shares.append(abs(found.value / whole.value))
        day = accounts.calendar.find_year_before(day)
    beyond = accounts.get(length, BEYOND_INTEREST, end)
    if not beyond or max(shares[1:]) > NIL_SHARE:
        return 0.0
    held = [each.value for n in BELOW_OPERATING if (each := accounts.get(length, n, end))]
    rest = beyond.value - sum(each for each in held if each * beyond.value > 0)
    is_large = rest * beyond.value > 0 and abs(rest) >= HELD_SHARE * abs(beyond.value / shares[0])
    return rest if is_large else 0.0


def _list_held(accounts: Accounts, length: Period, end: str) -> Iterator[tuple[str, float]]:
    """Yield the items of a period's earnings that need not recur, each with its effect, without items that are part of another one."""
    found = {
        name: each
        for name in HELD
        if not recurs(accounts, length, end, name)
        and (each := accounts.get(length, name, end))
        and each.value
    }
    for name, each in found.items():
        if not is_held(name, found):
            yield name, HELD[name] * each.value
    if tax := find_odd_tax(accounts, length, end):
        yield "income_tax", -tax.value


def _tell_moved(accounts: Accounts, moved: Moved) -> Notice:
    """Return an item with its amounts of a period and of that a year before."""
    amounts = {"now": moved.now, "then": moved.then}
    none = Notice.of("none-filed", "info")
    told = {
        name: none if moved.is_nil and not value else say_amount(value, accounts.currency)
        for name, value in amounts.items()
    }
    code = (
        "moved-item" if not moved.is_nil else "moved-item-new" if moved.now else "moved-item-gone"
    )
    return Notice.of(code, "info", item=name_item(moved.item.name), **told)


def _tell_kept(
    accounts: Accounts, length: Period, name: str, alone: Sequence[tuple[str, Amount]]
) -> list[Notice] | None:
    """Return the material items that are filed of one of the two periods alone, so that they stay in; None without any."""
    kept = [
        Notice.of(
            "kept-item",
            "info",
            item=name_item(item),
            amount=say_amount(amount.value, accounts.currency),
            period=name_period(length, amount.end),
        )
        for item, amount in alone
        if (whole := accounts.get(length, name, amount.end))
        and abs(amount.value) > MOVED_SHARE * abs(whole.value)
    ]
    return kept or None


def _leave_out(
    accounts: Accounts, length: Period, end: str, items: Sequence[Moved], name: str
) -> Left | None:
    """Return a metric's growth with and without items, and its shares of revenue without; None if they moved it little."""
    days = (end, accounts.calendar.find_year_before(end))
    growth = accounts.get(length, name + GROWTH, end)
    rests, shares = list[float](), list[float]()
    for day in days:
        whole = accounts.get(length, name, day)
        if not growth or not whole or not items:
            return None
        parts = [each.item.sign * (each.now if day == end else each.then) for each in items]
        rests.append(whole.value - sum(parts))
        revenue = accounts.get(length, "revenue", day)
        beside = [accounts.get(length, e.item.revenue, day) for e in items if e.item.revenue]
        sold = revenue.value - sum(each.value for each in beside if each) if revenue else 0
        shares += [100 * rests[-1] / sold] if sold > 0 else []
    if not growth or min(rests) <= 0:
        return None
    rest = 100 * (rests[0] / rests[1] - 1)
    if abs(rest - growth.value) < max(MOVED_POINTS, MOVED_SHARE * abs(growth.value)):
        return None
    has_margin = len(shares) == len(days) and name in ("operating_income", "gross_profit")
    marginal = [round_up(share) for share in shares] if has_margin else [None, None]
    return Left(items, round_up(growth.value), round_up(rest), *marginal)


def name_item(name: str) -> Notice:
    """Return the name of a metric that is shown, of an item that only notes name, or of a tag."""
    if name[:1].isupper():
        return Notice.of("line-added", "info", tag=name_line(name))
    return (
        say_metric(name) if name in LABELS else Notice.of(f"item-{name.replace('_', '-')}", "info")
    )
