"""Information in a filing's Inline XBRL and layout: figures by part, and risk factors' headings."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from pydantic import ValidationError

from activities.parsing.document import line
from contracts.documents import Axis, CoverPage, ShareCount, TaggedFigure

MAX_PARTS = 2_000
MAX_HEADINGS = 200
MAX_MEMBERS = 20
"""Maximum number of a context's members: one with more is of no part of a company."""
MAX_CLASSES, MAX_TITLES, MAX_TITLE_CHARS = 20, 20, 300
"""Classes of shares that a cover counts, and securities that it lists."""
MIN_HEADING_WORDS, MAX_HEADING_CHARS = 6, 400
"""A risk factor's heading is a sentence; shorter ones name groups of risk factors."""

_CONCEPT = re.compile(
    r"(?:us-gaap|ifrs-full):(?:Revenue\w*|SalesRevenue\w*|OperatingIncomeLoss"
    r"|ProfitLossFromOperatingActivities)"
)
_AXES: dict[str, Axis] = {
    "us-gaap:StatementBusinessSegmentsAxis": "segment",
    "ifrs-full:SegmentsAxis": "segment",
    "srt:ProductOrServiceAxis": "product",
    "ifrs-full:ProductsAndServicesAxis": "product",
    "srt:StatementGeographicalAxis": "region",
    "ifrs-full:GeographicalAreasAxis": "region",
}
_COVER_SHARES, _TITLE = "dei:EntityCommonStockSharesOutstanding", "dei:Security12bTitle"
_CLASS_AXIS = "us-gaap:StatementClassOfStockAxis"
_OWN = {
    ("srt:ConsolidationItemsAxis", "us-gaap:OperatingSegmentsMember"),
    ("ifrs-full:SegmentConsolidationItemsAxis", "ifrs-full:OperatingSegmentsMember"),
}
"""Says of a segment only that it is one."""
_BLOCKS = frozenset(("div", "p", "li", "td", "th", "tr", "table", "h1", "h2", "h3", "h4", "h5"))
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)|font-style\s*:\s*italic", re.IGNORECASE)
_EMPHATIC = frozenset(("b", "strong", "i", "em", "h1", "h2", "h3", "h4", "h5"))
_FIRST = re.compile(r"item\s*1a\b.{0,4}risk factors\W*", re.IGNORECASE)
_LAST = re.compile(r"item\s*(?:1b|1c|2)\b", re.IGNORECASE)
_FOOTNOTE = re.compile(r"(?:\s{0,9}\(\d{1,3}\)){1,9}$|\s{0,9}:$")


def read_parts(tree: Any) -> tuple[TaggedFigure, ...]:
    """Return revenue and operating income of periods, of the whole and by segment, product and region."""
    return tuple(islice(_list_parts(tree), MAX_PARTS))


class _Context(NamedTuple):
    """An XBRL context: a period or an instant, and members by axis."""

    days: tuple[str, ...]
    instants: tuple[str, ...]
    members: frozenset[tuple[str, str]]
    is_typed: bool


def _index_contexts(tree: Any) -> Callable[[str | None], _Context | None]:
    """Return a lookup of contexts that reads each once: many facts may name a large one."""
    contexts = {tag.get("id"): tag for tag in _find(tree, "xbrli:context")}

    @cache
    def read(name: str | None) -> _Context | None:
        context = contexts.get(name)
        if context is None:
            return None
        days = (d for n in ("startdate", "enddate") for d in _find(context, f"xbrli:{n}"))
        members = _find(context, "xbrldi:explicitmember")
        if len(members) > MAX_MEMBERS:
            return None
        return _Context(
            days=tuple(line(day.text_content()) for day in days),
            instants=tuple(line(d.text_content()) for d in _find(context, "xbrli:instant")),
            members=frozenset(
                (str(tag.get("dimension")), line(tag.text_content())) for tag in members
            ),
            is_typed=bool(_find(context, "xbrldi:typedmember")),
        )

    return read


def _list_parts(tree: Any) -> Iterator[TaggedFigure]:
    read = _index_contexts(tree)
    units = {tag.get("id"): line(tag.text_content()) for tag in _find(tree, "xbrli:unit")}
    for fact in _find(tree, "ix:nonfraction"):
        concept = str(fact.get("name"))
        if not _CONCEPT.fullmatch(concept) or not (context := read(fact.get("contextref"))):
            continue
        days = context.days
        if len(days) != 2:
            continue
        told = context.members
        axes = [(_AXES.get(axis), member) for axis, member in told - _OWN]
        is_whole = not told and not context.is_typed
        value = _read_value(fact)
        if value is None or not (is_whole or (len(axes) == 1 and axes[0][0])):
            continue
        axis, member = axes[0] if axes else (None, "")
        with suppress(ValidationError):  # skip invalid dates
            yield TaggedFigure(
                axis=axis or "",
                member=member,
                label=_find_label(fact) if member else "",
                concept=concept.partition(":")[2],
                start=days[0],
                end=days[1],
                value=value,
                unit=units.get(fact.get("unitref"), "").rpartition(":")[2],
            )


def read_cover(tree: Any) -> CoverPage:
    """Return the numbers of shares on a filing's cover, by class, and the titles of listed securities."""
    titles = (
        line(each.text_content(), MAX_TITLE_CHARS)
        for each in _find(tree, "ix:nonnumeric")
        if each.get("name") == _TITLE
    )
    return CoverPage(
        shares=tuple(islice(_list_shares(tree), MAX_CLASSES)),
        titles=tuple(islice(dict.fromkeys(filter(None, titles)), MAX_TITLES)),
    )


def _list_shares(tree: Any) -> Iterator[ShareCount]:
    read = _index_contexts(tree)
    for fact in _find(tree, "ix:nonfraction"):
        if fact.get("name") != _COVER_SHARES or not (context := read(fact.get("contextref"))):
            continue
        told, days, value = context.members, context.instants, _read_value(fact)
        if not value or context.is_typed or len(days) != 1:
            continue
        if [axis for axis, _ in told] in ([], [_CLASS_AXIS]):
            member = next((each for _, each in told), "")
            with suppress(ValidationError):  # skip invalid dates and negative counts
                yield ShareCount(member=member, day=days[0], value=value)


def _find(tree: Any, name: str) -> list[Any]:
    found: list[Any] = tree.xpath(".//*[name() = $name]", name=name)
    return found


def _read_value(fact: Any) -> float | None:
    """Return a fact's value: its text by the scale, sign and form that it states."""
    text = line(fact.text_content())
    form = str(fact.get("format", "")).rpartition(":")[2]
    if form in {"fixed-zero", "zerodash", "num-dash"} or text in {"-", "–", "—"}:
        return 0.0
    if "comma" in form:
        text = text.replace(".", "").replace(",", ".")
    try:
        value = Decimal(re.sub(r"[,\s]", "", text)).scaleb(int(fact.get("scale", "0")))
    except (InvalidOperation, ValueError):
        return None
    number = float(-value if fact.get("sign") == "-" else value)
    return number if abs(number) < 1e18 else None


def _find_label(fact: Any) -> str:
    """Return the first words of a fact's row."""
    row = next(fact.iterancestors("tr"), None)
    cells = () if row is None else (line(cell.text_content()) for cell in row.iter("td", "th"))
    return _FOOTNOTE.sub("", next(filter(None, cells), ""))[:80]


def read_risk_headings(tree: Any) -> tuple[str, ...]:
    """Return the headings in an annual report's Item 1A without duplicates: emphasized text at a block's start."""
    blocks = [b for b in tree.iter(*_BLOCKS) if all(inner is b for inner in b.iter(*_BLOCKS))]
    blocks = [block for block in blocks if block.text_content().strip()]
    texts = [line(block.text_content(), 80) for block in blocks]
    pairs = zip(
        texts, [*texts[1:], ""], strict=True
    )  # number and name may be in separate cells of a row
    firsts = [
        n
        for n, (text, after) in enumerate(pairs)
        if _FIRST.fullmatch(text) or _FIRST.fullmatch(f"{text} {after}")
    ]
    lasts = [n for n, text in enumerate(texts) if _LAST.match(text)]
    spans = [(n, min((m for m in lasts if m > n), default=n)) for n in firsts]
    first, last = max(spans, key=lambda span: span[1] - span[0], default=(0, 0))
    headings = map(_read_emphasis, blocks[first + 1 : last])
    kept = (h for h in headings if len(h.split()) >= MIN_HEADING_WORDS)
    return tuple(dict.fromkeys(islice(kept, MAX_HEADINGS)))


def _read_emphasis(block: Any) -> str:
    """Return the words at a block's start that are bold or in italics; empty where they do not end."""
    words = ""
    for node in block.xpath(".//text()"):
        parent = node.getparent()
        if node.strip() and not _is_emphatic(parent if node.is_text else parent.getparent(), block):
            break
        words += node
    heading = line(words, MAX_HEADING_CHARS + 1)
    return heading if len(heading) <= MAX_HEADING_CHARS else ""


def _is_emphatic(tag: Any, block: Any) -> bool:
    while tag is not None:
        if tag.tag in _EMPHATIC or _BOLD.search(tag.get("style", "")):
            return True
        if tag is block:
            return False
        tag = tag.getparent()
    return False
