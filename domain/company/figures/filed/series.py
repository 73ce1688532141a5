"""The values of one metric, from all tags and filings that report it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from contracts.company.figures import GapState
from contracts.notices import Notice
from domain.company.figures.filed.facts import Fact, count_days
from domain.company.figures.filed.periods import is_near
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.numbers import find_step, is_per_share

TagFacts = tuple[str, dict[tuple[str, str], list[Fact]]]
"""A tag and what was filed under it for each period, `(start, end)`, oldest filing first."""

_TOLERANCE = 0.01
MAX_DENOMINATOR = 1000
"""Largest denominator of a split's ratio, as new shares for old ones."""
_CENT, _DECIMALS = 0.01, 4
_RESTATED_SHARE = 0.001
"""A relative change beyond this is a restatement, not a rounding."""


@dataclass(frozen=True)
class Amount:
    """A value with its origin, a tag or a formula; `start` is empty for an instant."""

    value: float
    start: str
    end: str
    accessions: tuple[str, ...]
    filed: str
    tag: str = ""
    formula: str = ""
    parts: tuple["Amount", ...] = field(default=(), compare=False)
    restated_from: tuple[float, str] | None = field(default=None, compare=False)
    """The value that the first filing gave, and the day of that filing."""
    step: float = field(default=0.0, compare=False)
    """Unit of the last digit of a filed amount per share, which is a cent or less."""
    lacks: tuple[str, ...] = field(default=(), compare=False)
    """Optional terms of its formula that are not known."""
    over: str = field(default="", compare=False)
    """The metric of the shares that an amount per share is divided by; empty if it is filed as such."""
    stated: str = field(default="", compare=False)
    """Day of the newest filing that states it; empty of a computed one."""


class Missing(NamedTuple):
    """The reason why a metric has no amount in a period."""

    state: GapState
    reason: Notice


NOT_FILED = Missing("not_filed", Notice.of("gap-not-filed", "info"))
NO_TOTAL = Missing("not_filed", Notice.of("gap-shares-by-class", "info"))
"""Reason for a missing number of shares of a company that files earnings per share."""
NO_AVERAGE = "gap-shares-not-averaged"
"""Code of the reason for missing average shares of a company that files a count of a day."""


def find_root(reason: Notice) -> Notice:
    """Return the reason of a metric that is needed, where that is why another is missing."""
    why = reason.params.get("why")
    return find_root(why) if isinstance(why, Notice) else reason


def has_own_reason(state: GapState, reason: Notice) -> bool:
    """Return whether a figure is left out for another reason than that nothing is filed under its tags."""
    return state != "not_filed" or find_root(reason).code != NOT_FILED.reason.code


class MetricSeries:
    """One metric's amounts; tags in current use take precedence over abandoned ones."""

    def __init__(
        self,
        facts: FiledFacts,
        taxonomy: str,
        tags: Iterable[str],
        unit: str,
        convert: Callable[[Fact], Fact] | None = None,
    ) -> None:
        """Read the facts of tags in a unit, each as `convert` returns it."""
        self.unit = unit
        self._by_end: dict[str, list[Amount]] = {}
        filed = list[TagFacts]()
        for tag in tags:
            periods: dict[tuple[str, str], list[Fact]] = {}
            for fact in facts.list_facts(taxonomy, tag, unit):
                known = convert(fact) if convert else fact
                periods.setdefault((fact.start, fact.end), []).append(known)
            filed += [(tag, periods)] if periods else []
        for tag, by_period in _drop_contradicting(_order_by_use(filed)):
            for same in sorted(by_period.values(), key=lambda f: f[-1].filed, reverse=True):
                amount = _to_amount(tag, same)
                if is_per_share(unit):
                    factor = same[-1].factor
                    step = min(_CENT, find_step(round(amount.value / factor, _DECIMALS)))
                    amount = replace(amount, step=step * factor)
                self._by_end.setdefault(amount.end, []).append(amount)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is filed under its tags."""
        return not self._by_end

    def find_span(self, end: str, length: range) -> Amount | None:
        """Return the amount of the period that ends on `end` and has a number of days within `length`."""
        fits = (a for a in self._by_end.get(end, []) if a.start)
        return next((a for a in fits if count_days(a.start, a.end) in length), None)

    def find_since(self, start: str, end: str) -> Amount | None:
        """Return the amount from about one day to the other."""
        fits = (a for a in self._by_end.get(end, []) if a.start and is_near(a.start, start))
        return next(fits, None)

    def find_instant(self, end: str) -> Amount | None:
        """Return the amount on a day."""
        return next((a for a in self._by_end.get(end, []) if not a.start), None)

    def list_instants(self) -> list[Amount]:
        """Return the amounts of all days."""
        return [a for amounts in self._by_end.values() for a in amounts if not a.start]


def _to_amount(tag: str, facts: list[Fact]) -> Amount:
    """Return the newest value of a period, with the filing that first gave it."""
    first, newest = facts[0], facts[-1]
    since = newest
    for fact in reversed(facts):
        if fact.value != newest.value:
            break
        since = fact
    allowed = _RESTATED_SHARE * abs(first.value)
    if first.factor != newest.factor:  # cents were rounded before the split
        allowed = _TOLERANCE * abs(first.value) + _CENT * first.factor
    is_restated = abs(newest.value - first.value) > allowed
    return Amount(
        value=newest.value,
        start=newest.start,
        end=newest.end,
        accessions=(since.accession,),
        filed=since.filed,
        tag=tag if newest.factor == 1 else "",
        formula="" if newest.factor == 1 else _name_conversion(tag, newest.factor),
        restated_from=(first.value, first.filed) if is_restated else None,
        stated=newest.filed,
    )


def _name_conversion(tag: str, factor: float) -> str:
    """Return the formula of an amount that was brought to the shares of after a split."""
    ratio = Fraction(factor).limit_denominator(MAX_DENOMINATOR)
    terms = [f" × {ratio.numerator}"] if ratio.numerator != 1 else []
    terms += [f" / {ratio.denominator}"] if ratio.denominator != 1 else []
    return f"{tag}{''.join(terms)}, for the stock split since"


def _order_by_use(tables: list[TagFacts]) -> list[TagFacts]:
    """Return the tags with the newest period first."""
    newest = max((end for _, by_period in tables for _, end in by_period), default="")
    return sorted(tables, key=lambda table: not any(end == newest for _, end in table[1]))


def _drop_contradicting(tables: list[TagFacts]) -> list[TagFacts]:
    """Return the first tag, and those that mostly agree with it where both report a period.

    A tag that contradicts it measures something else: revenue from customers is not all revenue.
    One period that differs between two filings does not show it: a new rule restates the day on
    which a company changes its tags.
    """
    agreeing = tables[:1]
    for tag, by_period in tables[1:]:
        first = agreeing[0][1]
        shared = [(first[p][-1], f[-1]) for p, f in by_period.items() if p in first]
        apart = [
            one.accession == other.accession
            for one, other in shared
            if abs(one.value - other.value) > _TOLERANCE * abs(one.value)
        ]
        if apart == [False] or 2 * len(apart) <= len(shared):
            agreeing.append((tag, by_period))
    return agreeing


def combine(value: float, formula: str, *parts: Amount, start: str, end: str) -> Amount:
    """Return a computed value of a period, or of a day, with the filings of its parts."""
    return Amount(
        value=value,
        start=start,
        end=end,
        accessions=tuple(dict.fromkeys(a for part in parts for a in part.accessions)),
        filed=max(part.filed for part in parts),
        formula=formula,
        parts=parts,
    )


def list_leaves(amount: Amount) -> Iterator[Amount]:
    """Yield the filed amounts that an amount is computed from; itself if it is filed."""
    if not amount.parts:
        yield amount
    for part in amount.parts:
        yield from list_leaves(part)


def list_lacking(amount: Amount) -> Iterator[tuple[str, Amount]]:
    """Yield the optional terms that an amount, or one it is computed from, was computed without, with that amount."""
    for name in amount.lacks:
        yield name, amount
    for part in amount.parts:
        yield from list_lacking(part)
