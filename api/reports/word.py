"""Word renderer: headings, tables and charts; each citation becomes a link to its source."""

import io
from collections.abc import Mapping
from dataclasses import replace

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Emu, Mm, Pt, RGBColor
from docx.text.paragraph import Paragraph

from api.reports.blocks import ReportBlock, ReportChart, ReportTable, ReportText, Span
from api.reports.charts import render_png

INDENT, MARGIN = Mm(7), Mm(22)
PAGE_WIDTH, PAGE_HEIGHT = Mm(210), Mm(297)  # A4
LINK, GREY = RGBColor(0x06, 0x45, 0xAD), RGBColor(0x55, 0x55, 0x55)
MAX_TITLE_CHARS = 255  # limit of a Word document's properties


def render_docx(title: str, blocks: list[ReportBlock], charts: Mapping[str, str]) -> bytes:
    """Render parsed blocks as DOCX; `charts` are SVG by `ReportChart.name`."""
    document = _make_document(title)
    for block in blocks:
        if isinstance(block, ReportText):
            _add_text(document, block)
        elif isinstance(block, ReportTable):
            _add_table(document, block)
        else:
            _add_chart(document, block, charts[block.name])
    output = io.BytesIO()
    document.save(output)
    return output.getvalue()


def _make_document(title: str) -> WordDocument:
    document = Document()
    properties = document.core_properties
    properties.title, properties.author = title[:MAX_TITLE_CHARS], "Greenlight"
    properties.comments = ""
    properties.language = "en"
    page = document.sections[0]
    page.page_width, page.page_height = PAGE_WIDTH, PAGE_HEIGHT
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = MARGIN
    body = document.styles["Normal"].font
    body.name, body.size = "Calibri", Pt(10.5)
    return document


def _add_text(document: WordDocument, block: ReportText) -> None:
    paragraph = document.add_paragraph(style=f"Heading {block.level}" if block.level else None)
    paragraph_format = paragraph.paragraph_format
    paragraph_format.space_after = Pt(5)
    if block.depth:
        paragraph_format.left_indent = INDENT * block.depth
    if block.marker:
        paragraph_format.first_line_indent = -INDENT
        paragraph_format.tab_stops.add_tab_stop(INDENT * block.depth)
        paragraph.add_run(f"{block.marker}\t")
    for tag in ("w:bookmarkStart", "w:bookmarkEnd") if block.anchor else ():
        mark = OxmlElement(tag)
        mark.set(qn("w:id"), block.anchor.rpartition("_")[2])
        if tag == "w:bookmarkStart":
            mark.set(qn("w:name"), block.anchor)
        paragraph._p.append(mark)
    for span in block.spans:
        _add_span(paragraph, span, GREY if block.quoted else None)


def _add_span(paragraph: Paragraph, span: Span, color: RGBColor | None = None) -> None:
    run = paragraph.add_run(span.text)
    run.bold, run.italic = span.bold or None, span.italic or None
    run.font.color.rgb = LINK if span.href else color
    if span.code:
        run.font.name = "Courier New"
    if span.href:
        link = OxmlElement("w:hyperlink")
        if span.href.startswith("#"):
            link.set(qn("w:anchor"), span.href[1:])
        else:
            kind = RELATIONSHIP_TYPE.HYPERLINK
            link.set(qn("r:id"), paragraph.part.relate_to(span.href, kind, is_external=True))
        paragraph._p.append(link)
        link.append(run._r)


def _add_table(document: WordDocument, block: ReportTable) -> None:
    table = document.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
    for number, (row, cells) in enumerate(zip(table.rows, block.rows, strict=True)):
        for cell, spans in zip(row.cells, cells, strict=True):
            for span in spans:
                _add_span(cell.paragraphs[0], replace(span, bold=span.bold or number == 0))
    head = table.rows[0]._tr.get_or_add_trPr()
    head.append(OxmlElement("w:tblHeader"))  # repeated on every page
    document.add_paragraph()


def _add_chart(document: WordDocument, block: ReportChart, svg: str) -> None:
    png = render_png(svg)
    if png is None:
        document.add_paragraph(block.alt)
        return
    shape = document.add_picture(io.BytesIO(png), width=PAGE_WIDTH - 2 * MARGIN)
    highest = (PAGE_HEIGHT - 2 * MARGIN) // 2
    if shape.height > highest:
        shape.width, shape.height = Emu(shape.width * highest // shape.height), Emu(highest)
    shape._inline.docPr.set("descr", block.alt)
