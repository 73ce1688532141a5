"""A report as a PDF or a Word document, by pandoc and typst; charts are pictures in it."""

import base64
import json
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

from activities.confined.pandoc_process import find_pandoc
from api.reports import Format
from api.reports.pdf_and_word.pandoc_ast import build_ast, strip_unprintable
from api.reports.pdf_and_word.typesetter import Typesetter
from contracts.report.document import Document

MAX_RATIO = 0.75
"""Limit of a chart's height, in widths of the text."""
MAX_TITLE_CHARS = 255
"""Limit of a Word document's properties."""
_HERE = Path(__file__).parent


def render(format: Format, folder: Path, document: Document, charts: Mapping[str, str]) -> bytes:
    """Render a document as a file; charts are SVG by artifact id."""
    title = strip_unprintable(document.title).strip() or "Report"
    typesetter = Typesetter(folder)
    images = {}
    for number, (artifact, svg) in enumerate(charts.items()):
        if png := typesetter.draw(name := f"chart_{number}", svg):
            png_url = f"data:image/png;base64,{base64.b64encode(png).decode()}"
            source = name if format == "pdf" else png_url
            images[artifact] = {"src": source, "width": f"{_fit_chart(png):.0%}"}
    ast = json.dumps(build_ast(format, document, images))
    if format == "pdf":
        text = _convert(ast, "--to=typst", "--syntax-highlighting=none")
        return typesetter.set_pdf(text.decode(), title, document.language)
    return _convert(
        ast,
        "--to=docx",
        f"--metadata=title:{title[:MAX_TITLE_CHARS]}",
        "--metadata=author:Greenlight",
        f"--metadata=lang:{document.language}",
        f"--lua-filter={_HERE / 'chart_names.lua'}",
        f"--template={_HERE / 'report.openxml'}",
        f"--reference-doc={_HERE / 'report.docx'}",
    )


def _convert(ast: str, *options: str) -> bytes:
    """Return what pandoc makes of its AST: a process that reads no other file."""
    command = [str(find_pandoc()), "--sandbox", "--from=json", "--wrap=none", *options]
    made = subprocess.run(command, input=ast.encode(), capture_output=True, check=True)  # noqa: S603 - ours
    return made.stdout


def _fit_chart(png: bytes) -> float:
    """Return the width of a chart as a share of the text's."""
    size: tuple[int, int] = struct.unpack_from(">II", png, 16)
    width, height = size
    return min(1.0, MAX_RATIO * width / height)
