"""The bridge from revenue to income before tax by filed lines: what they leave unexplained, and which facts are of that size."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from contracts.evidence.rows import Period
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.facts import Fact
from domain.company.figures.filed.line_names import name_line
from domain.company.figures.filed.series import Amount, list_leaves
from domain.company.figures.notes.periods import name_period
from domain.company.figures.numbers import find_step, say_amount

LEAST_REST = 0.1
"""What the lines leave unexplained is looked for from this part of revenue, or of income before tax without any, on."""
LEAST_OF_PAIR = 0.05
"""The smaller of two facts that add up to it is at least this part of it."""
MOST_BY_CHANCE = 0.05
"""Facts of the size are named if fewer are expected by chance alone."""
MOST_FOUND = 3
LEAST_LINES = 3
"""Number of lines that a bridge needs before its unexplained rest is searched for among the facts."""
OTHERS = ("bank", "insurer", "health_insurer", "investment", "blank_check")
"""Kinds of business for which no bridge is built, because their income statements have different lines."""
LINES = (
    (("cost_of_revenue", "property_costs"), -1),
    (("research_and_development",), -1),
    (("selling_and_administration",), -1),
    (("sales_and_marketing",), -1),
    (("general_and_administrative",), -1),
    (("restructuring_cost",), -1),
    (("asset_impairment",), -1),
    (("goodwill_impairment",), -1),
    (("revaluation_gain",), 1),
    (("other_income_line",), 1),
    (("other_expense_line",), -1),
)
"""Lines between revenue and operating income, each under the first metric that is known, with the sign of its effect."""
LINES_BELOW = (
    (("finance_income",), 1),
    (("finance_costs", "debt_interest"), -1),
    (("exchange_result",), 1),
    (("equity_method_income",), 1),
    (("other_nonoperating_income",), 1),
)
"""The same between operating income and income before tax."""


class Bridge(NamedTuple):
    """Income before tax of a period, and the filed lines with their effect on it."""

    pretax: Amount
    lines: list[tuple[str, float]]
    tags: set[str]

    @property
    def rest(self) -> float:
        """The part of income before tax that no line explains."""
        return self.pretax.value - sum(value for _, value in self.lines)

    @property
    def near(self) -> float:
        """How far two amounts of one size may be apart, by rounding of the lines."""
        values = [self.pretax.value, *(value for _, value in self.lines)]
        step = min(find_step(value) for value in values if value)
        return step * (len(self.lines) + 1) / 2


class OfSize(NamedTuple):
    """One fact, or two of one day or period, of the size that was looked for."""

    facts: tuple[tuple[str, Fact], ...]


class Rest(NamedTuple):
    """A bridge that leaves a large part of income before tax unexplained, and the facts of that size."""

    bridge: Bridge
    facts: list[OfSize]


def build_bridge(accounts: Accounts, length: Period, end: str) -> Bridge | None:
    """Return the bridge of a period: from operating income, or without one from revenue; None without income before tax."""
    pretax = accounts.get(length, "pretax_income", end)
    operating, revenue = (accounts.get(length, n, end) for n in ("operating_income", "revenue"))
    first = operating or revenue
    if not pretax or not first or not pretax.value or accounts.kind in OTHERS:
        return None
    lines, tags = [(("operating_income" if operating else "revenue"), first.value)], set[str]()
    of = [pretax, first]
    for names, sign in (*(LINES if not operating else ()), *LINES_BELOW):
        found = next(((n, a) for n in names if (a := accounts.get(length, n, end))), None)
        if found and found[1].value and all(abs(found[1].value) != abs(v) for _, v in lines):
            lines.append((found[0], sign * found[1].value))
            of.append(found[1])
    for amount in of:
        tags |= {leaf.tag for leaf in list_leaves(amount)}
    return Bridge(pretax, lines, tags)


def find_rest(accounts: Accounts, length: Period, end: str) -> Rest | None:
    """Return a bridge that leaves a large part unexplained, with the facts that have its size."""
    bridge = build_bridge(accounts, length, end)
    revenue = accounts.get(length, "revenue", end)
    whole = abs(revenue.value) if revenue else abs(bridge.pretax.value) if bridge else 0.0
    if not bridge or len(bridge.lines) < LEAST_LINES or abs(bridge.rest) < LEAST_REST * whole:
        return None
    start = bridge.pretax.start
    facts = [
        (tag, fact)
        for tag, fact in accounts.facts.list_within(start, end, accounts.currency)
        if tag not in bridge.tags and fact.value
    ]
    found = find_of_size(facts, abs(bridge.rest), bridge.near)
    return Rest(bridge, found)


def find_of_size(facts: Sequence[tuple[str, Fact]], size: float, near: float) -> list[OfSize]:
    """Return the facts of a size, or pairs of one day or period that add up to it; none if chance makes as many.

    Facts are sorted once, so that each search of a partner takes a logarithm of their number.
    """
    if near * len({abs(fact.value) for _, fact in facts}) > MOST_BY_CHANCE * size:
        return []
    alone = {
        fact.value: OfSize(((tag, fact),))
        for tag, fact in facts
        if abs(abs(fact.value) - size) <= near
    }
    if alone:
        return [*alone.values()][:MOST_FOUND]
    by_span: dict[tuple[str, str], dict[float, tuple[str, Fact]]] = {}
    for tag, fact in facts:
        if LEAST_OF_PAIR * size <= fact.value <= size:
            by_span.setdefault((fact.start, fact.end), {}).setdefault(fact.value, (tag, fact))
    pairs = sum(len(each) ** 2 / 2 for each in by_span.values())
    if near * pairs > MOST_BY_CHANCE * size:
        return []
    return [pair for each in by_span.values() for pair in _list_pairs(each, size, near)][
        :MOST_FOUND
    ]


def _list_pairs(
    by_value: dict[float, tuple[str, Fact]], size: float, near: float
) -> Iterator[OfSize]:
    values = sorted(by_value)
    for value in values:
        place = bisect_left(values, size - value - near)
        other = values[place] if place < len(values) else None
        if other is not None and other > value and abs(value + other - size) <= near:
            yield OfSize((by_value[other], by_value[value]))


def list_rests(
    accounts: Accounts, spans: Sequence[tuple[Period, str]]
) -> dict[tuple[Period, str], Rest]:
    """Return what the lines of periods leave unexplained where it is much, with the facts of that size."""
    found = {(length, end): find_rest(accounts, length, end) for length, end in spans}
    return {span: rest for span, rest in found.items() if rest}


def note_rests(accounts: Accounts, rests: Mapping[tuple[Period, str], Rest]) -> Iterator[Notice]:
    """Yield what the filed lines of a period's income before tax leave unexplained, with the facts of that size."""
    for (length, end), (bridge, facts) in rests.items():
        if facts:
            yield Notice.of(
                "company-rest",
                period=name_period(length, end),
                pretax=say_amount(bridge.pretax.value, accounts.currency),
                lines=say_amount(bridge.pretax.value - bridge.rest, accounts.currency),
                rest=say_amount(bridge.rest, accounts.currency),
                found=[_name_of_size(accounts, each) for each in facts],
            )


def _name_of_size(accounts: Accounts, found: OfSize) -> Notice:
    """Return facts of the size by their names, amounts and days."""
    told = [
        Notice.of(
            "fact-of-size",
            "info",
            tag=name_line(tag, accounts.facts),
            amount=say_amount(f.value, accounts.currency),
            end=f.end,
        )
        for tag, f in found.facts
    ]
    return Notice.of("facts-of-size", "info", facts=told)
