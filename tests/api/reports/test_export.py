"""Export of reports: limits, file names, charts."""

import base64
import io
import struct
from pathlib import Path

import psutil
import pytest
from docx import Document

from activities.subprocess_sandbox import SubprocessSandbox
from api.reports import MAX_CHARS, Format
from api.reports.body import render_body
from api.reports.export import download_headers, export_report
from api.reports.typesetter import Typesetter
from contracts.errors import Conflict
from contracts.report.research import Report
from tests.api.reports.samples import CHARTS, REPORT

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {}">{}</svg>'
RED = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
"""A picture of one pixel."""


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


async def test_rendering_leaves_the_processor_to_runs_and_requests(tmp_path: Path) -> None:
    """Long reports of one tenant would otherwise take all of a machine with two cores."""
    sandbox = SubprocessSandbox("api.reports", "docx", str(tmp_path), size=1, seconds=60)
    try:
        await sandbox.warm()
        [rendering] = [p for p in psutil.Process().children() if "api.reports" in p.cmdline()]
        assert rendering.nice() > psutil.Process().nice()
    finally:
        await sandbox.close()


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
    told = render_body(
        "![A](artifacts/a1)\n\n![B](artifacts/a2)\n\n![C](http://x.example/c.png)",
        {"artifacts/a1": {"src": "chart"}},
    )
    assert told == '<p><img src="chart" alt="A" /></p>\n<p>B</p>\n<p>C</p>\n'


def test_line_in_bold_over_a_table_is_its_caption() -> None:
    told = render_body(
        "**A**\n\n|h|\n|-|\n\n**B**\n\n![b](c)\n\n**C**\n\nText.", {"c": {"src": "c"}}
    )
    assert "<table>\n<caption><strong>A</strong></caption>" in told
    assert "<p><strong>B</strong></p>" in told
    assert "<p><strong>C</strong></p>" in told


def test_row_of_a_table_wider_than_a_page_is_a_line() -> None:
    wide, fitting = ["|" + f"{'a|' * n}\n|{'-|' * n}\n|{'*b*|' * n}" for n in (13, 12)]
    told = render_body(f"{wide}\n\n{fitting}", {})
    assert f"<p>{'<em>b</em> | ' * 13}</p>" in told
    assert told.count("<td>") == 12


@pytest.mark.parametrize(
    "svg",
    [
        "",
        "no chart",
        SVG.format("9 9", "<unclosed"),
        SVG.format("9 9", '<image href="{folder}/red.png" width="9" height="9"/>'),
        SVG.format("9 9", '<image href="../red.png" width="9" height="9"/>'),
        SVG.format("9 9", '<image href="file://{folder}/red.png" width="9" height="9"/>'),
        SVG.format("9 9", '<image href="http://127.0.0.1/red.png" width="9" height="9"/>'),
    ],
)
def test_foreign_svg_is_not_rendered(tmp_path: Path, svg: str) -> None:
    (tmp_path / "red.png").write_bytes(RED)
    assert Typesetter(tmp_path).draw("chart", svg.replace("{folder}", str(tmp_path))) is None


@pytest.mark.parametrize("size", ["900 21400", "999999 999999", "1 99999", "99999 1", "0 0"])
def test_picture_of_a_chart_is_bounded(tmp_path: Path, size: str) -> None:
    drawn = Typesetter(tmp_path).draw("chart", SVG.format(size, '<rect width="9" height="9"/>'))
    assert drawn is not None
    width, height = struct.unpack_from(">II", drawn, 16)
    assert width <= 1_800
    assert height <= 3_600


async def test_broken_chart_leaves_its_name() -> None:
    held = await export_report(of("![Sales](artifacts/a1)"), "docx", {"a1": b"<svg"})
    assert [p.text for p in Document(io.BytesIO(held)).paragraphs] == ["Sales"]
