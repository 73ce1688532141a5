"""The facts of a company's newest filings as a table: what its computed figures leave out is looked up in it."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from contracts.company.figures import Fundamentals
from domain.company.figures.filed.facts import Fact, parse_day
from domain.company.figures.filed.metrics import spell_tag
from domain.company.figures.filed.point_in_time_facts import FiledFacts

MAX_CHARS = 400_000
"""Limit of the text; tags after it are left out."""
MAX_LABEL_CHARS = 300
RECENT = timedelta(days=830)
"""Facts that end longer before the newest figures are left out: two fiscal years and a quarter."""
SPANS = (("year", 340, 380), ("half year", 170, 195), ("quarter", 80, 100), ("on", 0, 0))
"""Names of periods, with the fewest and most days that each has."""
NEWEST = 3
"""Periods of each span that are listed for a tag."""


def list_filed(
    company_facts: Mapping[str, Any], found: Fundamentals, today: str = ""
) -> Iterator[str]:
    """Yield the lines of a table with each tag's newest facts up to `today`, by label and unit."""
    filed = FiledFacts(company_facts, found.as_of or today or None)
    first = (parse_day(found.newest_end) - RECENT).isoformat()
    name = f"{found.company.name} ({found.company.ticker})"
    yield f"| {name}: what was filed | Unit | Newest values |"
    yield "| --- | --- | --- |"
    room = MAX_CHARS
    for label, unit, facts in _list_tags(company_facts, filed):
        recent = [fact for fact in facts if fact.end >= first]
        if told := "; ".join(_tell_newest(recent)):
            line = f"| {label} | {unit} | {told} |"
            room -= len(line)
            if room < 0:
                return
            yield line


def _list_tags(
    company_facts: Mapping[str, Any], filed: FiledFacts
) -> Iterator[tuple[str, str, list[Fact]]]:
    """Yield the label of each tag with its unit and facts, and with the tag in words where they differ."""
    taxonomies: Any = company_facts.get("facts")
    for taxonomy, tags in taxonomies.items() if isinstance(taxonomies, dict) else ():
        for tag, about in tags.items() if isinstance(tags, dict) else ():
            label = about.get("label") if isinstance(about, dict) else None
            spelled = _clean(spell_tag(str(tag)))
            is_worded = isinstance(label, str) and label.casefold() not in ("", spelled.casefold())
            named = f"{_clean(str(label))} ({spelled})" if is_worded else spelled
            for unit in filed.list_units(taxonomy, tag):
                facts = filed.list_facts(taxonomy, tag, unit)
                yield named, _clean(unit), facts


def _clean(text: str) -> str:
    """Return a text as a cell of one line."""
    return " ".join(str(text)[:MAX_LABEL_CHARS].replace("|", "/").split())


def _tell_newest(facts: list[Fact]) -> Iterator[str]:
    """Yield the newest values by length of their period, each as it was filed last."""
    for span, least, most in SPANS:
        values = {fact.end: fact.value for fact in facts if least <= fact.days <= most}
        for end in sorted(values, reverse=True)[:NEWEST]:
            when = f"on {end}" if span == "on" else f"{span} to {end}"
            yield f"{when}: {_write(values[end])}"


def _write(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.4f}".rstrip("0")
