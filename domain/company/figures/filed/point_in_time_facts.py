"""A company's facts as they were known at the end of a day: point in time, without what was filed later."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from domain.company.figures.filed.facts import Fact, parse_day

MIN_VALUE, MAX_VALUE = 1e-6, 1e20
"""A value other than 0 and outside these sizes is malformed: no amount, count or ratio comes near them."""
PER_SHARE = "/shares"
"""How the unit of an amount per share ends."""


class FiledFacts:
    """A company's facts, without those filed after `as_of`."""

    def __init__(self, company_facts: Mapping[str, Any], as_of: str | None = None) -> None:
        taxonomies = company_facts.get("facts")
        self._taxonomies: Mapping[str, Any] = taxonomies if isinstance(taxonomies, dict) else {}
        self._as_of = as_of
        self._listed: dict[tuple[str, str, str], list[Fact]] = {}

    def list_units(self, taxonomy: str, tag: str) -> list[str]:
        """Return the units in which a tag is reported."""
        return [*self._rows_by_unit(taxonomy, tag)]

    def list_facts(self, taxonomy: str, tag: str, unit: str) -> list[Fact]:
        """Return a tag's facts in one unit, oldest filing first, without malformed rows.

        A period that ends after its filing is a typing error, and would otherwise become the latest
        period. Some companies file amounts per share in the plain currency.
        """
        key = (taxonomy, tag, unit)
        if key not in self._listed:
            by_unit = self._rows_by_unit(taxonomy, tag)
            rows = by_unit.get(unit) or by_unit.get(unit.removesuffix(PER_SHARE))
            self._listed[key] = self._parse_rows(rows if isinstance(rows, list) else [])
        return self._listed[key]

    def _parse_rows(self, rows: list[Any]) -> list[Fact]:
        facts = list[Fact]()
        for row in rows:
            try:
                if isinstance(row["val"], bool):  # Python takes true for 1
                    continue
                fact = Fact(
                    start=str(row.get("start") or ""),
                    end=str(row["end"]),
                    value=float(row["val"]),
                    accession=str(row["accn"]),
                    filed=str(row["filed"]),
                    form=str(row.get("form") or ""),
                    fiscal_year=int(row.get("fy") or 0),
                )
                end, filed = parse_day(fact.end), parse_day(fact.filed)
                start = parse_day(fact.start) if fact.start else end
            except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
                continue
            is_sized = not fact.value or MIN_VALUE <= abs(fact.value) <= MAX_VALUE
            is_known = self._as_of is None or fact.filed <= self._as_of
            if is_sized and is_known and start <= end <= filed:
                facts.append(fact)
        return sorted(facts, key=attrgetter("filed", "accession"))

    def _rows_by_unit(self, taxonomy: str, tag: str) -> Mapping[str, Any]:
        found: Any = self._taxonomies
        for name in (taxonomy, tag, "units"):
            found = found.get(name) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}
