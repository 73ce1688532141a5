"""The values of one metric, whatever tags and filings report them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from domain.fundamentals.facts import FiledFacts, ReportedValue, count_days
from domain.fundamentals.periods import is_near

TagValues = tuple[str, dict[tuple[str, str], ReportedValue]]
"""A tag and the values reported under it, by period."""

_TOLERANCE = 0.01


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
    """The value an earlier filing gave, and that filing's accession number."""


class MetricSeries:
    """One metric's amounts; tags in current use take precedence over abandoned ones."""

    def __init__(self, facts: FiledFacts, taxonomy: str, tags: Iterable[str], unit: str) -> None:
        values = [(tag, facts.report_values(taxonomy, tag, unit)) for tag in tags]
        self._by_end: dict[str, list[Amount]] = {}
        for tag, by_period in _drop_contradicting(_order_by_use(values)):
            newest_first = sorted(by_period.values(), key=lambda r: r.newest.filed, reverse=True)
            for reported in newest_first:
                newest, first = reported.newest, reported.first
                amount = Amount(
                    value=newest.value,
                    start=newest.start,
                    end=newest.end,
                    accessions=(reported.since.accession,),
                    filed=reported.since.filed,
                    tag=tag,
                    restated_from=(first.value, first.accession) if reported.is_restated else None,
                )
                self._by_end.setdefault(amount.end, []).append(amount)

    def find_span(self, end: str, length: range) -> Amount | None:
        """Return the amount of the period that ends on a day and is so many days long."""
        return next((a for a in self._flows(end) if count_days(a.start, a.end) in length), None)

    def find_since(self, start: str, end: str) -> Amount | None:
        """Return the amount from about one day to the other."""
        return next((a for a in self._flows(end) if is_near(a.start, start)), None)

    def find_instant(self, end: str) -> Amount | None:
        """Return the amount on a day."""
        return next((a for a in self._by_end.get(end, []) if not a.start), None)

    def list_instants(self) -> list[Amount]:
        """Return the amounts of all days, latest first."""
        instants = [a for amounts in self._by_end.values() for a in amounts if not a.start]
        return sorted(instants, key=lambda amount: amount.end, reverse=True)

    def _flows(self, end: str) -> list[Amount]:
        return [amount for amount in self._by_end.get(end, []) if amount.start]


def _order_by_use(tables: list[TagValues]) -> list[TagValues]:
    """Return the tags that have values, those with the newest period first."""
    reported = [(tag, by_period) for tag, by_period in tables if by_period]
    newest = max((end for _, by_period in reported for _, end in by_period), default="")
    return sorted(reported, key=lambda table: not any(end == newest for _, end in table[1]))


def _drop_contradicting(tables: list[TagValues]) -> list[TagValues]:
    """Return the first tag, and those that mostly agree with it where both report a period.

    A tag that contradicts it measures something else: revenue from customers is not all revenue.
    """
    agreeing = tables[:1]
    for tag, by_period in tables[1:]:
        first = agreeing[0][1]
        pairs = [
            (first[p].newest.value, r.newest.value) for p, r in by_period.items() if p in first
        ]
        different = [one for one, other in pairs if abs(one - other) > _TOLERANCE * abs(one)]
        if 2 * len(different) <= len(pairs):
            agreeing.append((tag, by_period))
    return agreeing


def combine(value: float, formula: str, *parts: Amount, start: str = "") -> Amount:
    """Return a computed value over the period of its latest part, with the filings of all parts."""
    last = max(parts, key=lambda part: part.end)
    return Amount(
        value=value,
        start=start or last.start,
        end=last.end,
        accessions=tuple(dict.fromkeys(a for part in parts for a in part.accessions)),
        filed=max(part.filed for part in parts),
        formula=formula,
        parts=parts,
    )
