"""What a report consists of, one piece below the other, as every kind of document shows it."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from markdown_it.tree import SyntaxTreeNode

from api.reports.citations import MARKDOWN

DEEPEST = 4
LONGEST_PARAGRAPH = 4_000
LONGEST_CELL, MOST_COLUMNS, MOST_ROWS = 1_500, 12, 100
"""What a page can hold; a table with more rows goes on as another one with the same head."""
_UNFIT = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # no XML, or a control
    "|[\u202a-\u202e\u2066-\u2069\ufeff]"  # turns the text's direction: it would read otherwise
)


@dataclass(frozen=True)
class Span:
    """Text of one look; `href` is an address of the web or `#` and an anchor."""

    text: str = ""
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str = ""


Row = tuple[tuple[Span, ...], ...]


@dataclass(frozen=True)
class Text:
    """A paragraph; a heading has a level, an item its marker, a source its anchor."""

    spans: tuple[Span, ...] = ()
    level: int = 0
    depth: int = 0
    marker: str = ""
    quoted: bool = False
    anchor: str = ""

    @property
    def plain(self) -> str:
        """Return its text without any look."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True)
class Table:
    """Rows of cells, the head first."""

    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Picture:
    """A chart, by its place in the Markdown."""

    name: str
    alt: str


Block = Text | Table | Picture


def clean(text: str) -> str:
    """Return text as documents can hold it, without controls of any kind."""
    return _UNFIT.sub("", text)


def blocks(markdown: str, charts: Collection[str] = ()) -> list[Block]:
    """Return what a report consists of; an image is a picture where it is one of the charts."""
    tree = SyntaxTreeNode(MARKDOWN.parse(clean(markdown)))
    return list(_within(tree, Text(), charts))


def _within(node: SyntaxTreeNode, place: Text, charts: Collection[str]) -> Iterator[Block]:
    """Yield the blocks below a node; the first of them takes the marker and anchor of its place."""
    for child in node.children:
        yield from _blocks(child, place, charts)
        place = replace(place, marker="", anchor="")


def _blocks(node: SyntaxTreeNode, place: Text, charts: Collection[str]) -> Iterator[Block]:
    match node.type:
        case "paragraph" | "heading":
            picture = _picture(node, charts)
            yield from [picture] if picture else _paragraphs(_text(node, place))
        case "bullet_list" | "ordered_list":
            yield from _items(node, place, charts)
        case "blockquote":
            yield from _within(node, _deeper(replace(place, quoted=True)), charts)
        case "fence" | "code_block":
            code = Span(node.content.rstrip("\n"), code=True)
            yield from _paragraphs(replace(place, spans=(code,)))
        case "table":
            rows = [row.children for part in node.children for row in part.children]
            yield from _tables([tuple(_spans(cell) for cell in row) for row in rows], place)
        case _:  # a rule between two parts: nothing to read
            pass


def _items(node: SyntaxTreeNode, place: Text, charts: Collection[str]) -> Iterator[Block]:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, start=first):
        marker = f"{number}." if node.type == "ordered_list" else "•"
        inside = replace(_deeper(place), marker=marker, anchor=str(item.attrs.get("id", "")))
        yield from _within(item, inside, charts)


def _tables(rows: list[Row], place: Text) -> Iterator[Block]:
    """Yield rows as tables, or line by line where a page is too narrow for them."""
    cells = [cell for row in rows for cell in row]
    if len(rows[0]) > MOST_COLUMNS or any(_length(cell) > LONGEST_CELL for cell in cells):
        for row in rows:
            spans = [span for cell in row for span in (*cell, Span(" | "))][:-1]
            yield from _paragraphs(replace(place, spans=tuple(spans)))
        return
    head, *body = rows
    for first in range(0, len(body) or 1, MOST_ROWS):
        yield Table((head, *body[first : first + MOST_ROWS]))


def _paragraphs(text: Text) -> Iterator[Text]:
    """Yield a text in paragraphs of bounded length: a typesetter's time grows with its square."""
    part: list[Span] = []
    size = 0
    for span in _pieces(text.spans):
        size += len(span.text)
        if part and size > LONGEST_PARAGRAPH:
            yield replace(text, spans=tuple(part))
            text, part, size = replace(text, marker="", anchor=""), [], len(span.text)
        part.append(span)
    yield replace(text, spans=tuple(part))


def _pieces(spans: tuple[Span, ...]) -> Iterator[Span]:
    for span in spans:
        for first in range(0, len(span.text), LONGEST_PARAGRAPH):
            yield replace(span, text=span.text[first : first + LONGEST_PARAGRAPH])


def _length(spans: tuple[Span, ...]) -> int:
    return sum(len(span.text) for span in spans)


def _deeper(place: Text) -> Text:
    return replace(place, depth=min(place.depth + 1, DEEPEST))


def _text(node: SyntaxTreeNode, place: Text) -> Text:
    level = int(node.tag[1]) if node.type == "heading" else 0
    return replace(place, spans=_spans(node), level=level)


def _picture(node: SyntaxTreeNode, charts: Collection[str]) -> Picture | None:
    """Return the chart that a paragraph consists of."""
    found = [child for inline in node.children for child in inline.children]
    if len(found) != 1 or found[0].type != "image":
        return None
    name = str(found[0].attrs.get("src", ""))
    return Picture(name, found[0].content) if name in charts else None


def _spans(node: SyntaxTreeNode) -> tuple[Span, ...]:
    return tuple(span for span in _inline(node, Span()) if span.text)


def _inline(node: SyntaxTreeNode, look: Span) -> Iterator[Span]:
    match node.type:
        case "softbreak" | "hardbreak":
            yield replace(look, text=" " if node.type == "softbreak" else "\n")
        case "code_inline":
            yield replace(look, text=node.content, code=True)
        case "strong":
            look = replace(look, bold=True)
        case "em":
            look = replace(look, italic=True)
        case "link":
            look = replace(look, href=_address(node))
        case "text" | "image":
            yield replace(look, text=node.content)
        case _:
            pass
    if node.type != "image":
        for child in node.children:
            yield from _inline(child, look)


def _address(link: SyntaxTreeNode) -> str:
    """Return where a link leads from a document: a source or the web, else nowhere."""
    href = str(link.attrs.get("href", ""))
    return href if link.meta.get("source") or re.match(r"https?://|mailto:", href) else ""
