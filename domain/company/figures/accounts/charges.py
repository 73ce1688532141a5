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
"""Metrics that may be filed under tags of such charges."""


class NoCost(NamedTuple):
    """A filed charge, by its tag, for which the lines of a total of costs leave no room, and what they leave of it."""

    tag: str
    charge: Amount
    room: float


def read_restructuring(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return the restructuring charge of a period, or None if none is filed that the total of costs can contain."""
    return _read_cost(accounts, period, "restructuring_cost", end)


def read_impairment(accounts: FiledAmounts, period: Period, end: str) -> Amount | None:
    """Return the impairment charge of a period, or None if none is filed that the total of costs can contain."""
    return _read_cost(accounts, period, "asset_impairment", end)


def _read_cost(accounts: FiledAmounts, period: Period, name: str, end: str) -> Amount | None:
    """Return a charge as filed, or under the next of its tags where the costs have no room for the first."""
    series = accounts.series[name]
    filed = accounts.read_period(series, period, end)
    outside = {found.tag for found in find_no_costs(accounts, period, name, end)}
    if not filed or not outside:
        return filed
    tags = (t for t in m.METRICS[name].tags.get(accounts.taxonomy, []) if t not in outside)
    found = (accounts.read_tag(period, tag, end) for tag in tags)
    return next((each for each in found if each and each.value), None)


def find_no_costs(accounts: FiledAmounts, period: Period, name: str, end: str) -> Iterator[NoCost]:
    """Yield impairment charges that exceed what total costs leave after the other filed cost lines.

    Such a charge cannot be a cost line of its own. At an insurer or a bank it is most likely a loss on investments,
    which revenue already contains, so removing it from income as well would count the loss twice.
    If the filed lines exceed the total, they overlap and nothing is yielded. A gain on a business sold may have been
    deducted from the costs, so it is added to what they leave.
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
