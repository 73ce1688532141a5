"""Charges that only the cash flow statement shows: what its lines leave, where a charge of that amount is filed, and those that no cost is."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.accounts.charges import CHARGES, TOTALS, find_no_costs
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.notes.lines.cash_flow_lines import Explained, explain_period
from domain.company.figures.notes.lines.cash_flow_tags import TAGS
from domain.company.figures.notes.lines.item_lines import BEFORE_OTHER, PRETAX
from domain.company.figures.notes.lines.movers import HELD, HELD_SHARE, MOVED_SHARE, name_item
from domain.company.figures.notes.periods import find_remainder_year, list_newest, name_period
from domain.company.figures.numbers import say_amount


class Charge(NamedTuple):
    """A charge against a period's income that need not recur: its metric, or else its tag, and its amount."""

    name: str
    amount: float


def find_charges(accounts: Accounts) -> dict[tuple[Period, str], Charge]:
    """Return the charge that the cash flow lines of the newest fiscal year leave, by period that holds it.

    It is of the twelve months too, as far as the lines of the year's first months leave no room for it.
    """
    year = next((each.end for each in accounts.calendar.years), "")
    found = explain_period(accounts, "year", year) if year else None
    charge = _read_charge(accounts, year, found) if found else None
    if not charge:
        return {}
    charges: dict[tuple[Period, str], Charge] = {("year", year): charge}
    before = _find_months_before(accounts) if accounts.newest_end > year else None
    if before is None or not 0 <= before < charge.amount:
        return charges
    later = charge._replace(amount=charge.amount - before)
    charges["ttm", accounts.newest_end] = later
    if find_remainder_year(accounts) == year:
        charges["remainder", year] = later
    return charges


def _read_charge(accounts: Accounts, year: str, found: Explained) -> Charge | None:
    """Return the charge that a fact is by its metric, or else by its tag."""
    same = found.same
    if not same or same.now <= 0 or same.sign < 0:
        return None
    known = ((name, accounts.get("year", name, year)) for name in HELD)
    name = next((name for name, each in known if each and each.tag == same.tag), same.tag)
    is_charge = name != same.tag or bool(re.search(TAGS.charges, same.tag))
    return Charge(name, same.now) if is_charge else None


def _find_months_before(accounts: Accounts) -> float | None:
    """Return what the cash flow lines leave of the fiscal year's first months, a year before the newest ones; None if unknown."""
    end = accounts.newest_end
    for length in ("to_date", "quarter"):
        total = accounts.get(length, "operating_cash_flow", end)
        is_from_start = total and total.start == accounts.calendar.find_year_start(end)
        if is_from_start and (found := explain_period(accounts, length, end)):
            return max(found.rest.then, 0.0)
    return None


def note_charges(
    accounts: Accounts, charges: Mapping[tuple[Period, str], Charge]
) -> Iterator[Notice]:
    """Yield income before tax without such a charge, and without other non-operating income as well."""
    for (length, end), charge in charges.items():
        whole, other = (accounts.get(length, n, end) for n in (PRETAX, BEFORE_OTHER))
        if length == "remainder" or not whole or charge.amount < MOVED_SHARE * abs(whole.value):
            continue
        amounts = {
            "whole": whole.value,
            "amount": charge.amount,
            "rest": whole.value + charge.amount,
        }
        if other and other.value != whole.value:
            amounts |= {"other": other.value, "both": other.value + charge.amount}
        yield Notice.of(
            "company-charge",
            metric=say_metric(PRETAX),
            period=name_period(length, end),
            item=name_item(charge.name),
            **{key: say_amount(value, accounts.currency) for key, value in amounts.items()},
        )


def note_no_costs(accounts: Accounts) -> Iterator[Notice]:
    """Yield large charges under the names of costs that the lines of all costs have no room for, so that they stay in."""
    for length, end in list_newest(accounts):
        whole = accounts.get(length, PRETAX, end)
        for name in CHARGES if whole else ():
            for tag, charge, room in find_no_costs(accounts, length, name, end):
                if whole and abs(charge.value) > HELD_SHARE * abs(whole.value):
                    yield Notice.of(
                        "company-charge-no-cost",
                        tag=name_line(tag, accounts.facts),
                        period=name_period(length, end),
                        amount=say_amount(charge.value, accounts.currency),
                        total=name_item(TOTALS[accounts.kind]),
                        room=say_amount(room, accounts.currency),
                    )
