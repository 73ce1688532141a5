"""Sums of periods with and without a restatement: one part was restated, another only known as first filed."""

from itertools import permutations
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.filed.series import Amount, Missing, list_leaves
from domain.company.figures.numbers import is_per_share, round_up, say_amount

OF_SUMS: tuple[Period, ...] = ("ttm", "quarter", "remainder")
"""Periods that may be computed from others."""
MOST_MIXED = 0.05
"""A sum is withheld if a restatement that another part lacks is more than this share of it."""
LEAST_MIXED = 0.005
"""A smaller share of a sum is not noted."""


class Mixed(NamedTuple):
    """A restated part of a sum, the part of the same months as filed before, and what the restatement moved."""

    restated: Amount
    other: Amount
    moved: float
    share: float
    """Share of the sum; 1 if the sum is 0."""


def find_mixed(amount: Amount) -> Mixed | None:
    """Return the largest restatement in a sum of periods that a filed part of the same months lacks; None without one.

    Twelve months are a fiscal year plus the months since, less the same months of the year before. If a later report
    restates the last of these and the year was not filed since, the difference stays in the sum. If both parts
    are restated, they are on one basis.
    """
    leaves = [each for each in dict.fromkeys(list_leaves(amount)) if each.start]
    found = [
        Mixed(one, other, moved, moved / abs(amount.value) if amount.value else 1.0)
        for one, other in permutations(leaves, 2)
        if one.restated_from and not other.restated_from and one.tag == other.tag
        if other.stated < one.filed and one.start <= other.end and other.start <= one.end
        for moved in [abs(one.value - one.restated_from[0])]
    ]
    return max(found, key=lambda each: each.share, default=None)


def explain_mixed(period: Period, amount: Amount, unit: str) -> Missing | None:
    """Return why a sum of periods is withheld: much of it is a restatement that one of its parts lacks."""
    mixed = find_mixed(amount) if period in OF_SUMS and amount.parts else None
    if not mixed or mixed.share <= MOST_MIXED:
        return None
    why = Notice.of("gap-mixed-basis", "info", **name_parts(mixed, unit))
    return Missing("conflicting", why)


def name_parts(mixed: Mixed, unit: str) -> dict[str, Notice | str | float]:
    """Return the parameters of the notice on a mixed sum: both parts, their filing days, and the restatement’s effect."""
    return {
        "start": mixed.restated.start,
        "end": mixed.restated.end,
        "day": mixed.restated.filed,
        "first": mixed.other.start,
        "last": mixed.other.end,
        "since": mixed.other.stated,
        "moved": round_up(mixed.moved, 2) if is_per_share(unit) else say_amount(mixed.moved, unit),
        "share": round_up(100 * mixed.share),
    }
