"""Parsing of pages and files as runs do it, and by the library alone.

Needs no stack, but folders of .html, .pdf and .docx; without a .docx, some are made of the pages' texts.
An `expected.json` in a folder, as in trafilatura's evaluation set, lists for each `file` the phrases that
must be extracted (`with`) and those that must not (`without`).
"""

import io
import json
import re
import time
from collections import Counter
from pathlib import Path

import docx
import pypdfium2
import trafilatura
from rich.table import Table

from activities.parsing.page_parser import PageParser
from activities.parsing.parser_process_entry import read_file
from bench.harness import make_table
from contracts.media_types import DOCX, PDF

HTML = "text/html"
TYPES = {".html": HTML, ".htm": HTML, ".pdf": PDF, ".docx": DOCX}
URL = "http://page.example/"
REPEATS = 5

ExpectedPhrases = dict[str, dict[str, list[str]]]
"""Phrases `with` and `without`, by file name."""


async def measure(folders: list[Path]) -> Table:
    """Parse everything in both ways; a row for each type of file."""
    files = {path.name: path for folder in folders for path in sorted(folder.rglob("*.*"))}
    lists = [path for folder in folders if (path := folder / "expected.json").exists()]
    pages = [page for path in lists for page in json.loads(path.read_text("utf-8")).values()]
    expected = {page["file"]: page for page in pages}
    columns = (
        *("files", "ms a file", "library: ms", "time", "processor time"),
        *("words shared (F1)", "phrases (F1)"),
    )
    table = make_table("Reading pages and files, beside the library alone", "", *columns)
    for suffix in (".html", ".pdf", ".docx"):
        media_type = TYPES[suffix]
        bodies = {n: p.read_bytes() for n, p in files.items() if TYPES.get(p.suffix) == media_type}
        if media_type == DOCX and not bodies:
            html = (path.read_bytes() for path in files.values() if TYPES.get(path.suffix) == HTML)
            bodies = {str(n): _make_docx(page) for n, page in enumerate(html)}
        if bodies:
            table.add_row(suffix, *await _measure_type(media_type, bodies, expected))
    return table


def _make_docx(page: bytes) -> bytes:
    """Return a Word document of a page's text, with a paragraph for each line."""
    document, output = docx.Document(), io.BytesIO()
    for line in _parse_by_library(page, HTML).splitlines():
        document.add_paragraph(line)
    document.save(output)
    return output.getvalue()


async def _measure_type(
    media_type: str, bodies: dict[str, bytes], expected: ExpectedPhrases
) -> list[str]:
    """Parse each file several times, alternating with the library; the fastest time counts.

    Besides the wall time in a sandboxed process, report the processor time in this one, which depends less on
    the machine's other load.
    """
    parser = PageParser()
    product: dict[str, str] = {}
    library: dict[str, str] = {}
    seconds, library_seconds = 0.0, 0.0
    busy, library_busy = 0.0, 0.0
    for name, body in bodies.items():
        times, library_times, shares, library_shares = [], [], [], []
        for _ in range(REPEATS):
            begun = time.perf_counter()
            product[name] = (await parser.read(body, media_type, url=URL)).text
            times.append(time.perf_counter() - begun)
            begun, begun_busy = time.perf_counter(), time.process_time()
            library[name] = _parse_by_library(body, media_type)
            library_times.append(time.perf_counter() - begun)
            library_shares.append(time.process_time() - begun_busy)
            begun_busy = time.process_time()
            read_file(body, media_type, "", URL)
            shares.append(time.process_time() - begun_busy)
        seconds, library_seconds = seconds + min(times), library_seconds + min(library_times)
        busy, library_busy = busy + min(shares), library_busy + min(library_shares)
    await parser.close()
    shared = [_score_words(product[name], library[name]) for name in bodies]
    phrases = [_score_phrases(texts, expected) for texts in (product, library)]
    ratio = f" ({phrases[0] / phrases[1]:.3f})" if phrases[1] else ""
    return [
        str(len(bodies)),
        f"{seconds * 1000 / len(bodies):.1f}",
        f"{library_seconds * 1000 / len(bodies):.1f}",
        f"{seconds / library_seconds:.2f} x",
        f"{busy / library_busy:.2f} x",
        f"{sum(shared) / len(shared):.3f}",
        f"{phrases[0]:.3f} to {phrases[1]:.3f}{ratio}" if ratio else "",
    ]


def _parse_by_library(body: bytes, media_type: str) -> str:
    """Parse without limits, metadata or subprocess."""
    if media_type == PDF:
        pages = pypdfium2.PdfDocument(body)
        return "\n".join(page.get_textpage().get_text_bounded() for page in pages)
    if media_type == DOCX:
        return "\n".join(part.text for part in docx.Document(io.BytesIO(body)).paragraphs)
    return trafilatura.extract(body, include_comments=False) or ""


def _score_words(one: str, other: str) -> float:
    """Return the F1 of the words that two texts share, each as often as it occurs."""
    words, others = (Counter(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return 2 * (words & others).total() / (words.total() + others.total() or 1)


def _score_phrases(texts: dict[str, str], expected: ExpectedPhrases) -> float:
    """Return the F1 of the phrases that must be extracted."""
    counts: Counter[str] = Counter()
    for name in texts.keys() & expected.keys():
        text = _flatten(texts[name])
        for kind in ("with", "without"):
            counts[kind] += sum(_flatten(phrase) in text for phrase in expected[name][kind])
        counts["wanted"] += len(expected[name]["with"])
    extracted = counts["with"]
    return 2 * extracted / (counts["wanted"] + extracted + counts["without"]) if extracted else 0.0


def _flatten(text: str) -> str:
    return " ".join(text.split())
