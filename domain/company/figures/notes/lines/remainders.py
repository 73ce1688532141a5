"""What a statement's lines leave of its total: the filed fact that is as much in both periods, if there is one."""

from collections.abc import Collection
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice, Told
from contracts.words import CATALOGUES
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.metrics import METRICS

LEAST_STEPS = 10
"""A remainder of fewer units of rounding is found among the facts by chance."""


class MovedPart(NamedTuple):
    """A component's amounts of a period, or day, and of the one that it is compared with."""

    tag: str
    now: float
    then: float
    sign: int = 1
    """-1 if the amounts are those of its tag with the opposite sign."""

    @property
    def change(self) -> float:
        """The amount of now less that of then."""
        return self.now - self.then

    def turn(self) -> "MovedPart":
        """Return the component with the opposite sign."""
        return MovedPart(self.tag, -self.now, -self.then, -self.sign)


class Span(NamedTuple):
    """A period, and the last day of the one that it is compared with."""

    length: Period
    start: str
    end: str
    before: str


def name_remainder(accounts: Accounts, length: Period, end: str, found: MovedPart) -> Told:
    """Return the name of the fact that a remainder is: an item's where one is read of just that amount, else the line's.

    A tag of all research may be filed of acquired research alone, and is read as that.
    """
    for name in METRICS:
        code = f"item-{name.replace('_', '-')}"
        read = accounts.get(length, name, end) if code in CATALOGUES["en"] else None
        if read and (read.tag, abs(read.value)) == (found.tag, abs(found.now)):
            return Notice.of(code, "info")
    return name_line(found.tag, accounts.facts)


def find_remainder(
    accounts: Accounts, span: Span, left: MovedPart, used: Collection[str], near: float
) -> MovedPart | None:
    """Return the fact that no line uses and that is as much as a remainder in both periods, with one sign.

    Only facts that are filed of the newer period itself are tried.
    """
    if min(abs(left.now), abs(left.then)) < LEAST_STEPS * near:
        return None
    for tag, fact in accounts.facts.list_within(span.start, span.end, accounts.currency):
        sign = 1 if fact.value * left.now > 0 else -1
        if not fact.start or tag in used or abs(sign * fact.value - left.now) > near:
            continue
        then = accounts.read_tag(span.length, tag, span.before)
        if then and abs(sign * then.value - left.then) <= near:
            return MovedPart(tag, sign * fact.value, sign * then.value, sign)
    return None
