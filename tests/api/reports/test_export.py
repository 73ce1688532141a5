"""Export of reports: limits, file names, charts."""

import io

import pytest
from docx import Document

from api.reports import MAX_CHARS, Format
from api.reports.blocks import ReportChart, ReportTable, ReportText, parse_blocks
from api.reports.charts import render_png
from api.reports.export import download_headers, export_report
from contracts.errors import Conflict
from contracts.report.research import Report
from tests.api.reports.samples import CHARTS, REPORT

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {}">{}</svg>'


def of(markdown: str) -> Report:
    return Report(title="T", sections=[], markdown=markdown)


async def test_too_large_a_report_is_refused() -> None:
    told = "a pdf may have 500,000 characters, and the report has 500,001; take md or html"
    with pytest.raises(Conflict, match=told):
        await export_report(of("x" * (MAX_CHARS + 1)), "pdf", {})


async def test_file_is_rendered_in_a_subprocess_with_the_charts_of_the_run() -> None:
    (chart,) = CHARTS.values()
    held = await export_report(REPORT, "docx", {"a1": chart.encode(), "a9": b"\xff"})
    assert len(Document(io.BytesIO(held)).inline_shapes) == 1


async def test_slow_export_is_killed_and_refused() -> None:
    told = "a docx would take longer than 0.1 s to render; take md or html"
    with pytest.raises(Conflict, match=told):
        await export_report(of("x\n\n" * 100_000), "docx", {}, seconds=0.1)


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
def test_file_is_named_after_the_report(title: str, format: Format, name: str) -> None:
    told = f"attachment; filename=\"report.{format}\"; filename*=UTF-8''{name}"
    assert download_headers(title, format) == {"Content-Disposition": told}


def test_image_is_a_chart_only_if_the_run_drew_it() -> None:
    read = parse_blocks(
        "![A](artifacts/a1)\n\n![B](artifacts/a2)\n\n![C](http://x.example/c.png)",
        ["artifacts/a1"],
    )
    assert [type(block) for block in read] == [ReportChart, ReportText, ReportText]
    assert [block.plain for block in read if isinstance(block, ReportText)] == ["B", "C"]


def test_long_tables_and_paragraphs_are_cut_into_pages() -> None:
    """And nothing is lost."""
    rows = parse_blocks("|h|\n|-|\n" + "|x|\n" * 250)
    assert [len(table.rows) for table in rows if isinstance(table, ReportTable)] == [101, 101, 51]
    parts = [part for part in parse_blocks("- " + "ab " * 5_000) if isinstance(part, ReportText)]
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
def test_foreign_svg_is_not_rendered(svg: str) -> None:
    assert render_png(svg) is None


def test_a_huge_chart_is_drawn_coarser() -> None:
    drawn = render_png(SVG.format("900 21400", '<rect width="9" height="9"/>'))
    assert drawn is not None
    width, height = (int.from_bytes(drawn[at : at + 4], "big") for at in (16, 20))
    assert width * height < 8_100_000
    assert round(height / width) == round(21400 / 900)
