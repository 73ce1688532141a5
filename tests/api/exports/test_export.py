"""What is exported at all, and under which name."""

import pytest

from api.exports.blocks import Picture, Table, Text, blocks
from api.exports.charts import png
from api.exports.export import MAX_CHARS, MAX_PARTS, Format, export, headers
from contracts.errors import Conflict
from contracts.research import Report

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {}">{}</svg>'


@pytest.mark.parametrize(
    ("markdown", "told"),
    [
        ("x" * (MAX_CHARS + 1), "500,001 characters, and a pdf may have 500,000; take md or html"),
        ("x\n\n" * (MAX_PARTS + 1), "5,001 paragraphs and rows, and a pdf may have 5,000"),
    ],
)
async def test_too_large_a_report_is_refused(markdown: str, told: str) -> None:
    with pytest.raises(Conflict, match=told):
        await export(Report(title="T", sections=[], markdown=markdown), "pdf", {})


@pytest.mark.parametrize(
    ("title", "format", "name"),
    [
        ("Pumps: which first?", "pdf", "Pumps-which-first.pdf"),
        ("../../etc/x\r\nSet-Cookie: a=b", "docx", "etc-x-Set-Cookie-a-b.docx"),
        ("Ελ", "pdf", "%CE%95%CE%BB.pdf"),
        ("…", "pdf", "report.pdf"),
        ("x" * 900, "pdf", f"{'x' * 80}.pdf"),
    ],
)
def test_a_file_is_called_as_the_report_is(title: str, format: Format, name: str) -> None:
    told = f"attachment; filename=\"report.{format}\"; filename*=UTF-8''{name}"
    assert headers(title, format) == {"Content-Disposition": told}


def test_an_image_is_a_picture_only_where_it_is_a_chart() -> None:
    read = blocks(
        "![A](artifacts/a1)\n\n![B](artifacts/a2)\n\n![C](http://x.example/c.png)", ["a1"]
    )
    assert [type(block) for block in read] == [Picture, Text, Text]
    assert [block.plain for block in read if isinstance(block, Text)] == ["B", "C"]


def test_long_tables_and_paragraphs_are_cut_into_pages() -> None:
    """And nothing is lost."""
    rows = blocks("|h|\n|-|\n" + "|x|\n" * 250)
    assert [len(table.rows) for table in rows if isinstance(table, Table)] == [101, 101, 51]
    parts = [part for part in blocks("- " + "ab " * 5_000) if isinstance(part, Text)]
    assert "".join(part.plain for part in parts) == ("ab " * 5_000).strip()
    assert [part.marker for part in parts] == ["•", "", "", ""]


@pytest.mark.parametrize(
    "svg",
    [
        "",
        "<svg/>",
        SVG.format("9 9", "<unclosed"),
        SVG.format("9 9", '<image href="/etc/hostname.png"/>'),
        SVG.format("999999 999999", ""),
    ],
)
def test_what_is_no_chart_of_ours_is_not_drawn(svg: str) -> None:
    assert png(svg.encode()) is None


def test_a_huge_chart_is_drawn_coarser() -> None:
    drawn = png(SVG.format("900 21400", '<rect width="9" height="9"/>').encode())
    assert drawn is not None
    width, height = (int.from_bytes(drawn[at : at + 4], "big") for at in (16, 20))
    assert width * height < 8_100_000
    assert round(height / width) == round(21400 / 900)
