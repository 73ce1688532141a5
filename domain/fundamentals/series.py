"""Looking a metric up: the value of a period, whatever tag and filing it stands in."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from domain.fundamentals.facts import Book, Key, Reported, days
from domain.fundamentals.metrics import Metric
from domain.fundamentals.periods import is_near

Table = tuple[str, dict[Key, Reported]]
"""A tag, and what is reported under it."""

_ALIKE = 0.01


@dataclass(frozen=True)
class Amount:
    """A value with where it is from: a tag, or a formula; `start` is empty of an instant."""

    value: float
    start: str
    end: str
    accessions: tuple[str, ...]
    filed: str
    tag: str = ""
    formula: str = ""
    parts: tuple["Amount", ...] = field(default=(), compare=False)
    was: tuple[float, str] | None = field(default=None, compare=False)
    """What an earlier filing said instead, and which."""


class Series:
    """One metric's values; the tag that is in use comes before those that were."""

    def __init__(self, book: Book, taxonomy: str, tags: Iterable[str], unit: str) -> None:
        tables = [(tag, book.reported(taxonomy, tag, unit)) for tag in tags]
        self._by_end: dict[str, list[Amount]] = {}
        for tag, table in _that_agree(_in_use_first(tables)):
            for reported in sorted(table.values(), key=lambda r: r.fact.filed, reverse=True):
                found = _amount(tag, reported)
                self._by_end.setdefault(found.end, []).append(found)

    def spanning(self, end: str, length: range) -> Amount | None:
        """Return the value of the period of such a length, in days, that ends that day."""
        return next((a for a in self._flows(end) if days(a.start, a.end) in length), None)

    def since(self, start: str, end: str) -> Amount | None:
        """Return the value of the period from about one day to the other."""
        return next((a for a in self._flows(end) if is_near(a.start, start)), None)

    def at(self, end: str) -> Amount | None:
        """Return the value on a day."""
        return next((a for a in self._by_end.get(end, []) if not a.start), None)

    def instants(self) -> list[Amount]:
        """Return every value on a day, the latest day first."""
        found = [a for amounts in self._by_end.values() for a in amounts if not a.start]
        return sorted(found, key=lambda amount: amount.end, reverse=True)

    def _flows(self, end: str) -> list[Amount]:
        return [amount for amount in self._by_end.get(end, []) if amount.start]


def _in_use_first(tables: list[Table]) -> list[Table]:
    """Return the tables that hold anything, those first that have the newest period."""
    held = [(tag, table) for tag, table in tables if table]
    newest = max((end for _, table in held for _, end in table), default="")
    return sorted(held, key=lambda named: not any(end == newest for _, end in named[1]))


def _that_agree(tables: list[Table]) -> list[Table]:
    """Return the first table, and those that mostly say the same where both say something.

    A tag that says otherwise is of something else: revenue from customers is not all revenue.
    """
    kept = tables[:1]
    for tag, table in tables[1:]:
        both = [
            (kept[0][1][key].fact.value, r.fact.value)
            for key, r in table.items()
            if key in kept[0][1]
        ]
        apart = [one for one, other in both if abs(one - other) > _ALIKE * abs(one)]
        if 2 * len(apart) <= len(both):
            kept.append((tag, table))
    return kept


def _amount(tag: str, reported: Reported) -> Amount:
    fact, first = reported.fact, reported.first
    return Amount(
        value=fact.value,
        start=fact.start,
        end=fact.end,
        accessions=(reported.since.accession,),
        filed=reported.since.filed,
        tag=tag,
        was=(first.value, first.accession) if reported.is_restated else None,
    )


def combined(value: float, formula: str, *parts: Amount, start: str = "") -> Amount:
    """Return a computed value over the period of its last part, with all their filings."""
    accessions = dict.fromkeys(a for part in parts for a in part.accessions)
    last = max(parts, key=lambda part: part.end)
    return Amount(
        value=value,
        start=start or last.start,
        end=last.end,
        accessions=tuple(accessions),
        filed=max(part.filed for part in parts),
        formula=formula,
        parts=parts,
    )


def of_metric(book: Book, taxonomy: str, metric: Metric, unit: str) -> Series:
    """Return a metric's series."""
    tags = metric.gaap if taxonomy == "us-gaap" else metric.ifrs
    return Series(book, taxonomy, tags, unit)
