"""PDF renderer: headings become the outline, each citation a link to its source."""

import io
from collections.abc import Iterator, Mapping
from html import escape
from itertools import zip_longest
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import BaseDocTemplate, Frame, Image, PageTemplate, Paragraph, Table

from api.reports.blocks import ReportBlock, ReportChart, ReportTable, ReportText, Span
from api.reports.charts import render_png
from api.reports.fonts import BODY, MISSING_GLYPH, FontSelector

MARGIN, INDENT, GAP = 20 * mm, 6 * mm, 5
WIDTH, HEIGHT = (side - 2 * MARGIN for side in A4)
SIZE, SMALL = 9.5, 8.0
HEADINGS = {1: 18.0, 2: 13.5}
LINK, GREY, LINE = "#0645ad", "#555555", "#bbbbbb"
MISSING_NOTE = f"Letters that this PDF has no font for are shown as {MISSING_GLYPH}; the Word and HTML forms have them."
RIGHT_TO_LEFT_NOTE = (
    "What is written from right to left runs from left to right in this PDF, its letters unjoined; "
    "read it in the Word or HTML form."
)
GRID = [
    ("GRID", (0, 0), (-1, -1), 0.5, LINE),
    ("BACKGROUND", (0, 0), (-1, 0), "#f2f2f2"),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    *((f"{side}PADDING", (0, 0), (-1, -1), 4) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM")),
]


def render_pdf(title: str, blocks: list[ReportBlock], charts: Mapping[str, str]) -> bytes:
    """Render parsed blocks; `charts` are SVG by `ReportChart.name`."""
    fonts = FontSelector(title + "".join(_iter_texts(blocks)))
    notes = [MISSING_NOTE] * fonts.has_missing + [RIGHT_TO_LEFT_NOTE] * fonts.has_right_to_left
    blocks = [*blocks[:1], *(ReportText((Span(note, italic=True),)) for note in notes), *blocks[1:]]
    output = io.BytesIO()
    document = BaseDocTemplate(output, pagesize=A4, title=title, author="Greenlight", lang="en")
    frame = Frame(MARGIN, MARGIN, WIDTH, HEIGHT, 0, 0, 0, 0)
    document.addPageTemplates(PageTemplate(frames=[frame], onPageEnd=_draw_footer))
    document.afterFlowable = _Outline(document)
    story = [
        _make_flowable(block, after, fonts, charts)
        for block, after in zip_longest(blocks, blocks[1:])
    ]
    document.build(story)
    return output.getvalue()


def _iter_texts(blocks: list[ReportBlock]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, ReportText):
            yield block.plain + block.marker
        elif isinstance(block, ReportTable):
            yield from (span.text for row in block.rows for cell in row for span in cell)
        else:
            yield block.alt


def _make_flowable(
    block: ReportBlock,
    after: ReportBlock | None,
    fonts: FontSelector,
    charts: Mapping[str, str],
) -> Any:
    """Return a block's flowable; a caption stays on the page of its table or chart."""
    if isinstance(block, ReportTable):
        return _make_table(block, fonts)
    if isinstance(block, ReportChart):
        png = render_png(charts[block.name])
        if png is None:
            return _make_paragraph(ReportText((Span(block.alt),)), fonts)
        image = Image(io.BytesIO(png))
        image._restrictSize(WIDTH, HEIGHT / 2)
        image.spaceAfter = GAP
        return image
    return _make_paragraph(block, fonts, is_caption=isinstance(after, ReportTable | ReportChart))


def _make_paragraph(block: ReportText, fonts: FontSelector, *, is_caption: bool = False) -> Any:
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
    inner = _mark_up(block.spans, fonts)
    markup = f"{anchor}<b>{inner}</b>" if block.level else anchor + inner
    paragraph = Paragraph(markup, style, bulletText=block.marker or None)
    paragraph.heading = (block.level, block.plain)
    return paragraph


def _mark_up(spans: tuple[Span, ...], fonts: FontSelector) -> str:
    return "".join(_mark_up_span(span, fonts) for span in spans)


def _mark_up_span(span: Span, fonts: FontSelector) -> str:
    text = span.text.replace(" ", "\xa0") if span.code else span.text
    parts = ((font, escape(part)) for font, part in fonts.split_runs(text))
    marked = "".join(p if font == BODY else f'<font name="{font}">{p}</font>' for font, p in parts)
    marked = marked.replace("\n", "<br/>")
    for tag, is_on in (("b", span.bold), ("i", span.italic and fonts.has_italics(span.text))):
        marked = f"<{tag}>{marked}</{tag}>" if is_on else marked
    return f'<a href="{escape(span.href)}" color="{LINK}">{marked}</a>' if span.href else marked


def _make_table(block: ReportTable, fonts: FontSelector) -> Any:
    """Return a table whose columns share the page's width by their longest cells, within bounds."""
    style = ParagraphStyle("cell", fontName=BODY, fontSize=SMALL, leading=SMALL * 1.35)
    head, *body = [[_mark_up(cell, fonts) for cell in row] for row in block.rows]
    rows = [[f"<b>{cell}</b>" for cell in head], *body]
    columns = zip(*block.rows, strict=True)
    longest = [max(sum(len(s.text) for s in cell) for cell in column) for column in columns]
    shares = [min(max(length, 8), 40) for length in longest]
    return Table(
        [[Paragraph(cell, style) for cell in row] for row in rows],
        colWidths=[WIDTH * share / sum(shares) for share in shares],
        style=GRID,
        repeatRows=1,
        splitInRow=1,
        spaceBefore=GAP,
        spaceAfter=2 * GAP,
    )


class _Outline:
    """Adds each heading to the outline, at most one level below the one before it."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._count = 0
        self._depth = -1

    def __call__(self, paragraph: Any) -> None:
        level, title = getattr(paragraph, "heading", (0, ""))
        if level:
            self._count += 1
            self._depth = min(level - 1, self._depth + 1)
            key = f"heading_{self._count}"
            self._document.canv.bookmarkPage(key)
            self._document.canv.addOutlineEntry(title, key, self._depth)


def _draw_footer(canvas: Any, document: Any) -> None:
    canvas.setViewerPreference("DisplayDocTitle", "true")
    canvas.setFont(BODY, SMALL)
    canvas.setFillColor(GREY)
    canvas.drawCentredString(A4[0] / 2, MARGIN / 2, str(document.page))
