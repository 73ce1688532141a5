"""Export of reports: limits, file names, charts."""

import base64
import io
import struct
from pathlib import Path

import docx
import psutil
import pytest

from activities.confined.subprocess_sandbox import SubprocessSandbox
from api.reports import MAX_CHARS, Format
from api.reports.pdf_and_word.process import download_headers, export_report
from api.reports.pdf_and_word.rendering import render
from api.reports.pdf_and_word.typesetter import Typesetter
from contracts.errors import Conflict
from contracts.report.document import Block, Document, Exhibit, Paragraph, Sentence
from tests.api.reports.samples import CHARTS, DOCUMENT
from tests.support.refusals import refused

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {}">{}</svg>'
RED = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
"""A picture of one pixel."""


def write(*texts: str) -> Document:
    paragraphs: list[Block] = [Paragraph(sentences=[Sentence(text=text)]) for text in texts]
    return Document(title="T", blocks=paragraphs)


async def test_too_large_a_report_is_refused() -> None:
    with refused(Conflict, "export-long", format="pdf", most=MAX_CHARS):
        await export_report(write("x" * (MAX_CHARS - 100)), "pdf", {})


async def test_file_is_rendered_in_a_subprocess_with_the_charts_of_the_run() -> None:
    (chart,) = CHARTS.values()
    held = await export_report(DOCUMENT, "docx", {"a1": chart.encode(), "a9": b"\xff"})
    assert len(docx.Document(io.BytesIO(held)).inline_shapes) == 1


async def test_slow_export_is_killed_and_refused() -> None:
    with refused(Conflict, "export-slow", format="docx", n=0.1):
        await export_report(write(*["x"] * 9_000), "docx", {}, seconds=0.1)


@pytest.mark.full
async def test_export_whose_process_dies_says_how_it_ended() -> None:
    """A document of another version, as after an update of a running gateway, has fields that it does not know."""
    unread = DOCUMENT.model_copy(update={"blocks": [], "title": None})
    with pytest.raises(Conflict, match="exit 1"):
        await export_report(unread, "docx", {})


async def test_rendering_leaves_the_processor_to_runs_and_requests(tmp_path: Path) -> None:
    """Long reports of one tenant would otherwise take all of a machine with two cores."""
    sandbox = SubprocessSandbox(
        "api.reports.pdf_and_word", "docx", str(tmp_path), size=1, seconds=60
    )
    try:
        await sandbox.warm()
        [rendering] = [
            p for p in psutil.Process().children() if "api.reports.pdf_and_word" in p.cmdline()
        ]
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


@pytest.mark.parametrize("charts", [{}, {"a1": b"<svg"}, {"a2": b"<svg/>"}])
def test_chart_that_cannot_be_drawn_leaves_its_name(
    tmp_path: Path, charts: dict[str, bytes]
) -> None:
    document = Document(title="T", blocks=[Exhibit(name="Sales", artifact="a1")])
    svgs = {name: svg.decode() for name, svg in charts.items()}
    held = render("docx", tmp_path, document, svgs)
    assert [p.text for p in docx.Document(io.BytesIO(held)).paragraphs] == ["T", "Sales"]
