"""A company's facts as they were known at the end of a day: point in time, without what was filed later."""

import re
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from domain.company.figures.filed.company_facts_json import read_rows
from domain.company.figures.filed.facts import Fact, parse_day
from domain.company.figures.filed.periods import is_near
from domain.company.figures.numbers import find_unit_of_whole

MIN_VALUE, MAX_VALUE = 1e-6, 1e20
"""A value other than 0 and outside these sizes is malformed: no amount, count or ratio comes near them."""
FIRST_DAY = "1900-01-01"
"""A period that ends before is a typing error, such as 0021 for 2021."""
_FILING = itemgetter(Fact._fields.index("filed"), Fact._fields.index("accession"))


class FiledFacts:
    """A company's facts, without those filed after `as_of`."""

    def __init__(self, company_facts: Mapping[str, Any], as_of: str | None = None) -> None:
        taxonomies = company_facts.get("facts")
        self._taxonomies: Mapping[str, Any] = taxonomies if isinstance(taxonomies, dict) else {}
        self.as_of = as_of
        self._listed: dict[tuple[str, str, str], list[Fact]] = {}

    def find_label(self, tag: str) -> str:
        """Return the label that company facts give for a tag; an empty string if there is none."""
        listed = (t[tag] for t in self._taxonomies.values() if isinstance(t, dict) and tag in t)
        labels = (each.get("label") for each in listed if isinstance(each, dict))
        return next((label for label in labels if isinstance(label, str)), "")

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
            rows = by_unit.get(unit) or by_unit.get(find_unit_of_whole(unit))
            self._listed[key] = self._parse_rows(read_rows(rows))
        return self._listed[key]

    def list_within(
        self, start: str, end: str, unit: str, named: re.Pattern[str] | None = None
    ) -> Iterator[tuple[str, Fact]]:
        """Yield each tag's newest facts of a period, and of the days in it, in one unit, with the tag.

        With `named`, only tags that match it are read. Facts are parsed for this call alone, because most tags
        are read by nothing else.
        """
        for tags in self._taxonomies.values():
            for tag in tags if isinstance(tags, dict) else ():
                if named and not named.match(str(tag)):
                    continue
                by_unit = tags[tag].get("units") if isinstance(tags[tag], dict) else None
                rows = by_unit.get(unit) if isinstance(by_unit, dict) else None
                inside = [
                    row
                    for row in read_rows(rows)
                    if isinstance(row, dict) and start <= str(row.get("end")) <= end
                ]
                newest = {(fact.start, fact.end): fact for fact in self._parse_rows(inside)}
                yield from (
                    (str(tag), fact)
                    for fact in newest.values()
                    if not fact.start or (fact.end == end and is_near(fact.start, start))
                )

    def _parse_rows(self, rows: list[Any]) -> list[Fact]:
        facts, checked = list[Fact](), dict[tuple[str, str, str], bool]()
        for row in rows:
            try:
                value, end, filed = row["val"], row["end"], row["filed"]
                start = row.get("start") or ""
                days = start, end, filed
                if days not in checked:
                    checked[days] = self._is_in_order(*days)
                if isinstance(value, bool) or not checked[days]:  # Python takes true for 1
                    continue
                value = float(value)
                if value and not MIN_VALUE <= abs(value) <= MAX_VALUE:
                    continue
                form, year = str(row.get("form") or ""), int(row.get("fy") or 0)
                facts.append(Fact(start, end, value, str(row["accn"]), filed, form, year))
            except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
                continue
        return sorted(facts, key=_FILING)

    def _is_in_order(self, start: str, end: str, filed: str) -> bool:
        """Return whether a period ends after it starts and was filed after its end, up to `as_of`.

        Raises:
            TypeError, ValueError: One of them is not a day.
        """
        days = [parse_day(day) for day in (start or end, end, filed)]
        is_plain = [day.isoformat() for day in days] == [start or end, end, filed]
        is_known = self.as_of is None or filed <= self.as_of
        return is_plain and is_known and end >= FIRST_DAY and days == sorted(days)

    def _rows_by_unit(self, taxonomy: str, tag: str) -> Mapping[str, Any]:
        found: Any = self._taxonomies
        for name in (taxonomy, tag, "units"):
            found = found.get(name) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}
