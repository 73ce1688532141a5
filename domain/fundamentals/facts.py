"""The facts of a company as EDGAR lists them, as they stood at the end of a day."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

ANNUAL = ("10-K", "20-F", "40-F")
GAAP, IFRS, COVER = "us-gaap", "ifrs-full", "dei"
_NOTABLE = 0.001
"""By how much of itself a value must change to count as restated rather than rounded."""

Key = tuple[str, str]


@dataclass(frozen=True)
class Fact:
    """One value of one filing; `fiscal_year` is the filing's, not the fact's."""

    start: str
    end: str
    value: float
    accession: str
    filed: str
    form: str
    fiscal_year: int

    @property
    def days(self) -> int:
        """Return how many days it spans, both ends counted; 0 of an instant."""
        return days(self.start, self.end) if self.start else 0

    @property
    def is_annual(self) -> bool:
        """Tell whether it stands in an annual report."""
        return self.form.startswith(ANNUAL)


@dataclass(frozen=True)
class Reported:
    """What a period's value is, by the newest filing that states it."""

    fact: Fact
    since: Fact
    """The first filing from which on this value stood."""
    first: Fact

    @property
    def is_restated(self) -> bool:
        """Tell whether an earlier filing gave another value."""
        return abs(self.fact.value - self.first.value) > _NOTABLE * abs(self.first.value)


@cache
def day(text: str) -> date:
    """Return an ISO date's day."""
    return date.fromisoformat(text)


def days(start: str, end: str) -> int:
    """Return the days from `start` to `end`, both counted."""
    return (day(end) - day(start)).days + 1


class Book:
    """A company's facts; what was filed after `as_of` is not in it."""

    def __init__(self, listed: Mapping[str, Any], as_of: str | None = None) -> None:
        taxonomies = listed.get("facts")
        self._taxonomies: Mapping[str, Any] = taxonomies if isinstance(taxonomies, dict) else {}
        self._as_of = as_of
        self._read: dict[tuple[str, str, str], list[Fact]] = {}

    def units(self, taxonomy: str, tag: str) -> list[str]:
        """Return the units that a tag's facts come in."""
        concept = (self._taxonomies.get(taxonomy) or {}).get(tag) or {}
        return [*(concept.get("units") or {})]

    def facts(self, taxonomy: str, tag: str, unit: str) -> list[Fact]:
        """Return a tag's facts in one unit, those filed first first."""
        key = (taxonomy, tag, unit)
        if key not in self._read:
            concept = (self._taxonomies.get(taxonomy) or {}).get(tag) or {}
            rows = (concept.get("units") or {}).get(unit) or []
            found = [fact for row in rows if (fact := fact_of(row)) and self._stood(fact)]
            self._read[key] = sorted(found, key=lambda fact: (fact.filed, fact.accession))
        return self._read[key]

    def reported(self, taxonomy: str, tag: str, unit: str) -> dict[Key, Reported]:
        """Return what is reported of each period, `(start, end)`; an instant has no start."""
        periods: dict[Key, list[Fact]] = {}
        for fact in self.facts(taxonomy, tag, unit):
            periods.setdefault((fact.start, fact.end), []).append(fact)
        return {key: _reported(facts) for key, facts in periods.items()}

    def _stood(self, fact: Fact) -> bool:
        return self._as_of is None or fact.filed <= self._as_of


def _reported(facts: list[Fact]) -> Reported:
    newest = since = facts[-1]
    for fact in reversed(facts):
        if fact.value != newest.value:
            break
        since = fact
    return Reported(newest, since, facts[0])


def fact_of(row: Any) -> Fact | None:
    """Return a row as a fact, or None where it is not one."""
    try:
        fact = Fact(
            start=str(row.get("start") or ""),
            end=str(row["end"]),
            value=float(row["val"]),
            accession=str(row["accn"]),
            filed=str(row["filed"]),
            form=str(row.get("form") or ""),
            fiscal_year=int(row.get("fy") or 0),
        )
        day(fact.filed)
        return fact if day(fact.start or fact.end) <= day(fact.end) else None
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None


def newest_first(keys: Iterator[str]) -> list[str]:
    """Return each once, the latest day first."""
    return sorted(set(keys), reverse=True)
