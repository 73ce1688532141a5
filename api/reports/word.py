"""A report as a Word document: headings, tables and charts; each citation a link to its source."""

import io
from collections.abc import Mapping
from dataclasses import replace

from docx import Document
from docx.document import Document as Made
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Emu, Mm, Pt, RGBColor
from docx.text.paragraph import Paragraph

from api.reports.blocks import Block, Picture, Span, Table, Text
from api.reports.charts import png

INDENT, MARGIN = Mm(7), Mm(22)
PAGE_WIDTH, PAGE_HEIGHT = Mm(210), Mm(297)  # A4
LINK, GREY = RGBColor(0x06, 0x45, 0xAD), RGBColor(0x55, 0x55, 0x55)
LONGEST_TITLE = 255  # of a Word document's properties


def word(title: str, found: list[Block], charts: Mapping[str, str]) -> bytes:
    """Return a DOCX of what `blocks` found."""
    made = _empty(title)
    for block in found:
        if isinstance(block, Text):
            _text(made, block)
        elif isinstance(block, Table):
            _table(made, block)
        else:
            _picture(made, block, charts[block.name])
    held = io.BytesIO()
    made.save(held)
    return held.getvalue()


def _empty(title: str) -> Made:
    made = Document()
    about = made.core_properties
    about.title, about.author, about.comments = title[:LONGEST_TITLE], "Greenlight", ""
    about.language = "en"
    page = made.sections[0]
    page.page_width, page.page_height = PAGE_WIDTH, PAGE_HEIGHT
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = MARGIN
    body = made.styles["Normal"].font
    body.name, body.size = "Calibri", Pt(10.5)
    return made


def _text(made: Made, block: Text) -> None:
    paragraph = made.add_paragraph(style=f"Heading {block.level}" if block.level else None)
    look = paragraph.paragraph_format
    look.space_after = Pt(5)
    if block.depth:
        look.left_indent = INDENT * block.depth
    if block.marker:
        look.first_line_indent = -INDENT
        look.tab_stops.add_tab_stop(INDENT * block.depth)
        paragraph.add_run(f"{block.marker}\t")
    if block.anchor:
        _bookmark(paragraph, block.anchor)
    for span in block.spans:
        _add(paragraph, span, GREY if block.quoted else None)


def _add(paragraph: Paragraph, span: Span, color: RGBColor | None = None) -> None:
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


def _bookmark(paragraph: Paragraph, name: str) -> None:
    for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
        mark = OxmlElement(tag)
        mark.set(qn("w:id"), name.rpartition("_")[2])
        if tag == "w:bookmarkStart":
            mark.set(qn("w:name"), name)
        paragraph._p.append(mark)


def _table(made: Made, block: Table) -> None:
    table = made.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
    for number, (row, cells) in enumerate(zip(table.rows, block.rows, strict=True)):
        for cell, spans in zip(row.cells, cells, strict=True):
            for span in spans:
                _add(cell.paragraphs[0], replace(span, bold=span.bold or number == 0))
    head = table.rows[0]._tr.get_or_add_trPr()
    head.append(OxmlElement("w:tblHeader"))  # again on every page
    made.add_paragraph()


def _picture(made: Made, block: Picture, svg: str) -> None:
    drawn = png(svg)
    if drawn is None:
        made.add_paragraph(block.alt)
        return
    shape = made.add_picture(io.BytesIO(drawn), width=PAGE_WIDTH - 2 * MARGIN)
    highest = (PAGE_HEIGHT - 2 * MARGIN) // 2
    if shape.height > highest:
        shape.width, shape.height = Emu(shape.width * highest // shape.height), Emu(highest)
    shape._inline.docPr.set("descr", block.alt)
