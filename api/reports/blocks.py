"""Blocks of a report, top to bottom: the common input of the PDF and the Word renderer."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from markdown_it.tree import SyntaxTreeNode

from api.reports.markdown import MARKDOWN

MAX_DEPTH = 4
MAX_PARAGRAPH_CHARS = 4_000
MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROWS = 1_500, 12, 100
"""Limits of a page; a table with more rows continues as a new one with the same head."""
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # not XML, or a control
    "|[\u202a-\u202e\u2066-\u2069\ufeff]"  # overrides the text's direction
)


@dataclass(frozen=True)
class Span:
    """Text of one style; `href` is a web address, or `#` and an anchor."""

    text: str = ""
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str = ""


Row = tuple[tuple[Span, ...], ...]


@dataclass(frozen=True)
class ReportText:
    """A paragraph, heading (`level`), list item (`marker`) or source (`anchor`)."""

    spans: tuple[Span, ...] = ()
    level: int = 0
    depth: int = 0
    marker: str = ""
    quoted: bool = False
    anchor: str = ""

    @property
    def plain(self) -> str:
        """Text without styles."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True)
class ReportTable:
    """Rows of cells, the head first."""

    rows: tuple[Row, ...]


@dataclass(frozen=True)
class ReportChart:
    """A chart; `name` is its link target in the Markdown."""

    name: str
    alt: str


ReportBlock = ReportText | ReportTable | ReportChart


def strip_unprintable(text: str) -> str:
    """Remove the characters that no document can hold."""
    return _UNPRINTABLE.sub("", text)


def parse_blocks(markdown: str, charts: Collection[str] = ()) -> list[ReportBlock]:
    """Parse a report; an image is a chart only if it is named in `charts`."""
    tree = SyntaxTreeNode(MARKDOWN.parse(strip_unprintable(markdown)))
    return list(_parse_children(tree, ReportText(), charts))


def _parse_children(
    node: SyntaxTreeNode, place: ReportText, charts: Collection[str]
) -> Iterator[ReportBlock]:
    """Yield the blocks below a node; the first one takes the marker and anchor of `place`."""
    for child in node.children:
        yield from _parse_node(child, place, charts)
        place = replace(place, marker="", anchor="")


def _parse_node(
    node: SyntaxTreeNode, place: ReportText, charts: Collection[str]
) -> Iterator[ReportBlock]:
    match node.type:
        case "paragraph" | "heading":
            chart = _find_chart(node, charts)
            level = int(node.tag[1]) if node.type == "heading" else 0
            text = replace(place, spans=_parse_spans(node), level=level)
            yield from [chart] if chart else _split_text(text)
        case "bullet_list" | "ordered_list":
            first = int(node.attrs.get("start", 1))
            for number, item in enumerate(node.children, start=first):
                marker = f"{number}." if node.type == "ordered_list" else "•"
                anchor = str(item.attrs.get("id", ""))
                item_place = replace(_indent(place), marker=marker, anchor=anchor)
                yield from _parse_children(item, item_place, charts)
        case "blockquote":
            yield from _parse_children(node, _indent(replace(place, quoted=True)), charts)
        case "fence" | "code_block":
            code = Span(node.content.rstrip("\n"), code=True)
            yield from _split_text(replace(place, spans=(code,)))
        case "table":
            rows = [row.children for part in node.children for row in part.children]
            yield from _split_table(
                [tuple(_parse_spans(cell) for cell in row) for row in rows], place
            )
        case _:  # a horizontal rule has no text
            pass


def _split_table(rows: list[Row], place: ReportText) -> Iterator[ReportBlock]:
    """Yield rows as tables, or as lines where they are too wide for a page."""
    longest = max(sum(len(span.text) for span in cell) for row in rows for cell in row)
    if len(rows[0]) > MAX_COLUMNS or longest > MAX_CELL_CHARS:
        for row in rows:
            spans = [span for cell in row for span in (*cell, Span(" | "))][:-1]
            yield from _split_text(replace(place, spans=tuple(spans)))
        return
    head, *body = rows
    for first in range(0, len(body) or 1, MAX_ROWS):
        yield ReportTable((head, *body[first : first + MAX_ROWS]))


def _split_text(text: ReportText) -> Iterator[ReportText]:
    """Yield paragraphs of bounded length: the typesetter takes quadratic time."""
    part: list[Span] = []
    size = 0
    pieces = (
        replace(span, text=span.text[first : first + MAX_PARAGRAPH_CHARS])
        for span in text.spans
        for first in range(0, len(span.text), MAX_PARAGRAPH_CHARS)
    )
    for span in pieces:
        size += len(span.text)
        if part and size > MAX_PARAGRAPH_CHARS:
            yield replace(text, spans=tuple(part))
            text, part, size = replace(text, marker="", anchor=""), [], len(span.text)
        part.append(span)
    yield replace(text, spans=tuple(part))


def _indent(place: ReportText) -> ReportText:
    return replace(place, depth=min(place.depth + 1, MAX_DEPTH))


def _find_chart(node: SyntaxTreeNode, charts: Collection[str]) -> ReportChart | None:
    """Return the chart if it is all that the paragraph holds."""
    content = [child for inline in node.children for child in inline.children]
    if len(content) != 1 or content[0].type != "image":
        return None
    name = str(content[0].attrs.get("src", ""))
    return ReportChart(name, content[0].content) if name in charts else None


def _parse_spans(node: SyntaxTreeNode) -> tuple[Span, ...]:
    return tuple(span for span in _parse_inline(node, Span()) if span.text)


def _parse_inline(node: SyntaxTreeNode, style: Span) -> Iterator[Span]:
    match node.type:
        case "softbreak" | "hardbreak":
            yield replace(style, text=" " if node.type == "softbreak" else "\n")
        case "code_inline":
            yield replace(style, text=node.content, code=True)
        case "strong":
            style = replace(style, bold=True)
        case "em":
            style = replace(style, italic=True)
        case "link":
            href = str(node.attrs.get("href", ""))  # of a source or on the web
            is_safe = node.meta.get("source") or re.match(r"https?://|mailto:", href)
            style = replace(style, href=href if is_safe else "")
        case "text" | "image":
            yield replace(style, text=node.content)
        case _:
            pass
    if node.type != "image":
        for child in node.children:
            yield from _parse_inline(child, style)
