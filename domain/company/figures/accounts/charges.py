"""Charges that a filer’s costs hold, and those under the same names that they do not: losses on what an insurer or bank invests."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from contracts.company.filings import BusinessKind
from contracts.evidence.rows import Period
from domain.company.figures.accounts.filed_amounts import FiledAmounts
from domain.company.figures.filed import metrics as m
from domain.company.figures.filed.components import COMPONENTS
from domain.company.figures.filed.series import Amount

TOTALS: dict[BusinessKind, str] = {
    "insurer": "insurer_costs",
    "health_insurer": "insurer_costs",
    "bank": "noninterest_expense",
}
"""The total of costs of kinds of business whose revenue holds losses on investments, impairments included."""
OF_ASSETS = "Impairment"
"""In a tag: a charge that may be of investments."""
CHARGES = ("restructuring_cost", "asset_impairment")
"""Metrics whose tags may name such charges."""


class NoCost(NamedTuple):
    """A filed charge, by its tag, for which the lines of a total of costs leave no room, and what they leave of it."""

    tag: str
    charge: Amount
    room: float


def read_restructuring(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return what was charged for restructuring, as far as it is among the costs."""
    return _read_cost(accounts, period, "restructuring_cost", end)


def read_impairment(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return what was charged for impaired assets, as far as it is among the costs."""
    return _read_cost(accounts, period, "asset_impairment", end)


def _read_cost(accounts: FiledAmounts, period: Period, name: str, end: str) -> Amount | None:
    """Return a charge as filed, or under the next of its tags where the costs have no room for the first."""
    series = accounts.series[name]
    filed = accounts.read_period(series, period, end)
    if not filed or not any(find_no_costs(accounts, period, name, end)):
        return filed
    outside = {found.tag for found in find_no_costs(accounts, period, name, end)}
    tags = (t for t in m.METRICS[name].tags.get(accounts.taxonomy, []) if t not in outside)
    found = (accounts.read_tag(period, tag, end) for tag in tags)
    return next((each for each in found if each and each.value), None)


def find_no_costs(accounts: FiledAmounts, period: Period, name: str, end: str) -> Iterator[NoCost]:
    """Yield charges for impaired assets that are more than the filed lines of all costs leave of these.

    Such a charge is no line of the costs. It may sit in one, but of a company that invests for a living it is most
    likely of investments, whose losses its revenue holds: taken out of income beside these, it would count twice.
    Lines that come to more than the total overlap, and show nothing. A gain on a business sold may be set off in them.
    """
    of = TOTALS.get(accounts.kind, "")
    total = accounts.get(period, of, end) if of else None
    if not total:
        return
    gain = accounts.get(period, "business_sale_gain", end)
    lines = dict(_read_lines(accounts, period, COMPONENTS[of].flows, end))
    for tag in m.METRICS[name].tags.get(accounts.taxonomy, []):
        charge = accounts.read_tag(period, tag, end) if OF_ASSETS in tag else None
        left = total.value - sum(each.value for line, each in lines.items() if line != tag)
        room = left + (max(gain.value, 0.0) if gain else 0.0)
        if charge and len(lines) > 1 and left >= 0 and room < charge.value:
            yield NoCost(tag, charge, room)


def _read_lines(
    accounts: FiledAmounts, period: Period, flows: Iterable[str], end: str
) -> Iterator[tuple[str, Amount]]:
    """Yield the filed lines with their tags, each under the first of its names."""
    for names in flows:
        found = ((tag, accounts.read_tag(period, tag, end)) for tag in names.split("|"))
        yield from [(tag, each) for tag, each in found if each][:1]
