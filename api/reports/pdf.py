"""A report as PDF: its headings as outline, each citation a link to its source."""

import io
from collections.abc import Iterator, Mapping
from html import escape
from itertools import pairwise
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import BaseDocTemplate, Frame, Image, PageTemplate, Paragraph, Table

from api.reports import blocks
from api.reports.blocks import Block, Picture, Span, Text
from api.reports.charts import png
from api.reports.fonts import BODY, BOX, Letters

MARGIN, INDENT, GAP = 20 * mm, 6 * mm, 5
WIDTH, HEIGHT = (side - 2 * MARGIN for side in A4)
SIZE, SMALL = 9.5, 8.0
HEADINGS = {1: 18.0, 2: 13.5}
LINK, GREY, LINE = "#0645ad", "#555555", "#bbbbbb"
MISSING = (
    f"Letters that this PDF has no font for are shown as {BOX}; the Word and HTML forms have them."
)
TURNED = (
    "What is written from right to left runs from left to right in this PDF, its letters unjoined; "
    "read it in the Word or HTML form."
)
GRID = [
    ("GRID", (0, 0), (-1, -1), 0.5, LINE),
    ("BACKGROUND", (0, 0), (-1, 0), "#f2f2f2"),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    *((f"{side}PADDING", (0, 0), (-1, -1), 4) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM")),
]


def pdf(title: str, found: list[Block], charts: Mapping[str, str]) -> bytes:
    """Return a PDF of what `blocks` found."""
    letters = Letters(title + "".join(_texts(found)))
    notes = [MISSING] * letters.missing + [TURNED] * letters.turned
    found = [*found[:1], *(Text((Span(note, italic=True),)) for note in notes), *found[1:]]
    held = io.BytesIO()
    document = BaseDocTemplate(held, pagesize=A4, title=title, author="Greenlight", lang="en")
    frame = Frame(MARGIN, MARGIN, WIDTH, HEIGHT, 0, 0, 0, 0)
    document.addPageTemplates(PageTemplate(frames=[frame], onPageEnd=_page))
    document.afterFlowable = _Outline(document)
    story = [_flowable(block, after, letters, charts) for block, after in pairwise([*found, None])]
    document.build(story)
    return held.getvalue()


def _texts(found: list[Block]) -> Iterator[str]:
    for block in found:
        if isinstance(block, Text):
            yield block.plain + block.marker
        elif isinstance(block, blocks.Table):
            yield from (span.text for row in block.rows for cell in row for span in cell)
        else:
            yield block.alt


def _flowable(
    block: Block | None, after: Block | None, letters: Letters, charts: Mapping[str, str]
) -> Any:
    """Return a block as it is set; what stands over a table or picture stays with it."""
    if isinstance(block, blocks.Table):
        return _table(block, letters)
    if isinstance(block, Picture):
        image = png(charts[block.name])
        return _image(image) if image else _text(Text((Span(block.alt),)), letters)
    assert block is not None
    return _text(block, letters, is_caption=isinstance(after, blocks.Table | Picture))


def _text(block: Text, letters: Letters, *, is_caption: bool = False) -> Any:
    size = HEADINGS.get(block.level, 11.0) if block.level else SIZE
    style = ParagraphStyle(
        "text",
        fontName=BODY,
        fontSize=size,
        leading=size * 1.4,
        spaceBefore=GAP * 2 if block.level else 0,
        spaceAfter=GAP,
        leftIndent=INDENT * block.depth,
        bulletIndent=INDENT * max(block.depth - 1, 0),
        bulletFontName=BODY,
        bulletFontSize=size,
        textColor=GREY if block.quoted else "black",
        keepWithNext=is_caption or bool(block.level),
    )
    anchor = f'<a name="{block.anchor}"/>' if block.anchor else ""
    inner = _markup(block.spans, letters)
    markup = f"{anchor}<b>{inner}</b>" if block.level else anchor + inner
    set_ = Paragraph(markup, style, bulletText=block.marker or None)
    set_.heading = (block.level, block.plain)
    return set_


def _markup(spans: tuple[Span, ...], letters: Letters) -> str:
    return "".join(_marked(span, letters) for span in spans)


def _marked(span: Span, letters: Letters) -> str:
    text = span.text.replace(" ", "\xa0") if span.code else span.text
    parts = ((font, escape(part)) for font, part in letters.runs(text))
    marked = "".join(p if font == BODY else f'<font name="{font}">{p}</font>' for font, p in parts)
    marked = marked.replace("\n", "<br/>")
    for tag, is_on in (("b", span.bold), ("i", span.italic and letters.slant(span.text))):
        marked = f"<{tag}>{marked}</{tag}>" if is_on else marked
    return f'<a href="{escape(span.href)}" color="{LINK}">{marked}</a>' if span.href else marked


def _table(block: blocks.Table, letters: Letters) -> Any:
    style = ParagraphStyle("cell", fontName=BODY, fontSize=SMALL, leading=SMALL * 1.35)
    head, *body = [[_markup(cell, letters) for cell in row] for row in block.rows]
    rows = [[f"<b>{cell}</b>" for cell in head], *body]
    return Table(
        [[Paragraph(cell, style) for cell in row] for row in rows],
        colWidths=_widths(block),
        style=GRID,
        repeatRows=1,
        splitInRow=1,
        spaceBefore=GAP,
        spaceAfter=2 * GAP,
    )


def _widths(block: blocks.Table) -> list[float]:
    """Return how wide the columns are: as their longest cells ask for, within bounds."""
    longest = [
        max(sum(len(s.text) for s in cell) for cell in c) for c in zip(*block.rows, strict=True)
    ]
    asked = [min(max(length, 8), 40) for length in longest]
    return [WIDTH * part / sum(asked) for part in asked]


def _image(drawn: bytes) -> Any:
    made = Image(io.BytesIO(drawn))
    made._restrictSize(WIDTH, HEIGHT / 2)
    made.spaceAfter = GAP
    return made


class _Outline:
    """Puts each heading into a document's outline, at most one level below the one before it."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._count = 0
        self._depth = -1

    def __call__(self, set_: Any) -> None:
        level, title = getattr(set_, "heading", (0, ""))
        if level:
            self._count += 1
            self._depth = min(level - 1, self._depth + 1)
            key = f"heading_{self._count}"
            self._document.canv.bookmarkPage(key)
            self._document.canv.addOutlineEntry(title, key, self._depth)


def _page(canvas: Any, document: Any) -> None:
    canvas.setViewerPreference("DisplayDocTitle", "true")
    canvas.setFont(BODY, SMALL)
    canvas.setFillColor(GREY)
    canvas.drawCentredString(A4[0] / 2, MARGIN / 2, str(document.page))
