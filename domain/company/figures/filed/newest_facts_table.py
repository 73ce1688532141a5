"""The facts of a company's newest filings as tables: all of them, to look up what its computed figures leave out, and those on what is asked."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from contracts.company.figures import Fundamentals
from domain.company.figures.filed.facts import Fact, parse_day
from domain.company.figures.filed.line_names import MAX_LABEL_CHARS, clean_label
from domain.company.figures.filed.metrics import spell_tag
from domain.company.figures.filed.notions import MAX_PHRASES, NOTIONS, choose_tags
from domain.company.figures.filed.point_in_time_facts import FiledFacts

MAX_CHARS = 400_000
"""Limit of the text; rows after it are left out and counted."""
RECENT = timedelta(days=830)
"""Facts that end longer before the newest figures are left out: two fiscal years and a quarter."""
SMALL = 0.001
"""Numbers below this, such as a share's par value, are written with four digits that count."""
SPANS = (("year", 340, 380), ("half year", 170, 195), ("quarter", 80, 100), ("on", 0, 0))
"""Names of periods, with the fewest and most days that each has."""
NEWEST = 3
"""Periods of each span that are listed for a tag."""
MOST_OF_NOTION, MOST_ROWS = 8, 40
"""Tags on one thing that is asked, and rows on all of them."""


def list_filed(
    company_facts: Mapping[str, Any], found: Fundamentals, today: str = ""
) -> Iterator[str]:
    """Yield the lines of a table with each tag's newest facts up to `today`, by label and unit."""
    filed = FiledFacts(company_facts, found.as_of or today or None)
    first = (parse_day(found.newest_end) - RECENT).isoformat()
    yield from _head_table(found, "what was filed")
    room, left = MAX_CHARS, 0
    for taxonomy, tag, about in _list_tags(company_facts):
        for line in _list_rows(filed, taxonomy, tag, about, first):
            room -= len(line)
            if room < 0:
                left += 1
            else:
                yield line
    if left:
        yield f"| {left} more, for which this page has no room | – | – |"


def list_asked(
    company_facts: Mapping[str, Any],
    found: Fundamentals,
    names: Collection[str],
    today: str = "",
) -> Iterator[str]:
    """Yield the lines of a table of what is filed on some notions and is no figure of the page; none without any.

    A last row counts the rows that have no room.
    """
    filed = FiledFacts(company_facts, found.as_of or today or None)
    first = (parse_day(found.newest_end) - RECENT).isoformat()
    shown = {figure.tag for figure in found.figures}
    tags = {tag: (taxonomy, about) for taxonomy, tag, about in _list_tags(company_facts)}
    counts, rows, left = Counter[str](), list[str](), 0
    for notion, tag in choose_tags(names, [tag for tag in tags if tag not in shown]):
        found_rows = [*_list_rows(filed, tags[tag][0], tag, tags[tag][1], first)]
        kept = found_rows[: MOST_ROWS - len(rows)] if counts[notion] < MOST_OF_NOTION else []
        counts[notion] += bool(found_rows)
        rows += kept
        left += len(found_rows) - len(kept)
    if rows:
        yield ""
        yield from _head_table(found, "filed beside the figures above, on what is asked")
        yield from rows
    if left:
        yield f"| {left} more on what is asked: in the page of all facts of the newest filings | – | – |"


def spell_filed(company_facts: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the tags in words under which each notion is filed, where it is."""
    tags = [tag for _, tag, _ in _list_tags(company_facts)]
    found: dict[str, list[str]] = {}
    for name in NOTIONS:
        spelled = [spell_tag(tag) for _, tag in choose_tags([name], tags)]
        if spelled:
            found[name] = spelled[:MAX_PHRASES]
    return found


def _head_table(found: Fundamentals, what: str) -> Iterator[str]:
    yield f"| {found.company.name} ({found.company.ticker}): {what} | Unit | Newest values |"
    yield "| --- | --- | --- |"


def _list_tags(company_facts: Mapping[str, Any]) -> Iterator[tuple[str, str, object]]:
    """Yield each taxonomy's tags with what EDGAR says of them."""
    taxonomies: Any = company_facts.get("facts")
    for taxonomy, tags in taxonomies.items() if isinstance(taxonomies, dict) else ():
        for tag, about in tags.items() if isinstance(tags, dict) else ():
            yield str(taxonomy), str(tag), about


def _list_rows(
    filed: FiledFacts, taxonomy: str, tag: str, about: object, first: str
) -> Iterator[str]:
    """Yield a tag's newest facts since a day, a row a unit, by its label and the tag in words where they differ."""
    label = about.get("label") if isinstance(about, dict) else None
    spelled = _clean(spell_tag(tag))
    worded = clean_label(label) if isinstance(label, str) else ""
    is_worded = worded.casefold() not in ("", tag.casefold(), spelled.casefold())
    named = f"{worded} ({spelled})" if is_worded else spelled
    for unit in filed.list_units(taxonomy, tag):
        recent = [fact for fact in filed.list_facts(taxonomy, tag, unit) if fact.end >= first]
        if told := "; ".join(_tell_newest(recent)):
            yield f"| {named} | {_clean(unit)} | {told} |"


def _clean(text: str) -> str:
    """Return a unit, or a tag in words, as a cell of one line: no taxonomy's is as long as to be cut."""
    return " ".join(str(text)[:MAX_LABEL_CHARS].replace("|", "/").split())


def _tell_newest(facts: list[Fact]) -> Iterator[str]:
    """Yield the newest values by length of their period, each as it was filed last."""
    for span, least, most in SPANS:
        values = {fact.end: fact.value for fact in facts if least <= fact.days <= most}
        for end in sorted(values, reverse=True)[:NEWEST]:
            when = f"on {end}" if span == "on" else f"{span} to {end}"
            yield f"{when}: {_write(values[end])}"


def _write(value: float) -> str:
    if value.is_integer():
        return f"{value:,.0f}"
    if abs(value) < SMALL:
        return f"{Decimal(f'{value:.4g}'):f}"
    return f"{value:,.4f}".rstrip("0").rstrip(".")
