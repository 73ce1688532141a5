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
from dataclasses import dataclass
from pathlib import Path

import docx
import pypdfium2
import trafilatura
from rich.table import Table

from activities.parsing.page_parser import PageParser
from contracts.media_types import DOCX, PDF

HTML = "text/html"
TYPES = {".html": HTML, ".htm": HTML, ".pdf": PDF, ".docx": DOCX}
URL = "http://page.example/"
REPEATS = 5


@dataclass
class ParserResult:
    """Time and texts, by file name, of one parser."""

    seconds: float
    texts: dict[str, str]


@dataclass(frozen=True)
class ExpectedPhrases:
    """Phrases that must be extracted from a page, and those that must not."""

    wanted: list[str]
    unwanted: list[str]


async def measure(folders: list[Path]) -> Table:
    """Parse everything in both ways; a row for each type of file."""
    files = {path.name: path for folder in folders for path in sorted(folder.rglob("*.*"))}
    expected = {k: v for folder in folders for k, v in _load_expected(folder).items()}
    table = Table(title="Reading pages and files, beside the library alone")
    columns = ("files", "ms a file", "library: ms", "time", "words shared (F1)", "phrases (F1)")
    table.add_column("")
    for name in columns:
        table.add_column(name, justify="right")
    for media_type in (HTML, PDF, DOCX):
        bodies = {n: p.read_bytes() for n, p in files.items() if TYPES.get(p.suffix) == media_type}
        if media_type == DOCX and not bodies:
            pages = (path.read_bytes() for path in files.values() if TYPES.get(path.suffix) == HTML)
            bodies = {
                str(n): _make_docx(_parse_by_library(page, HTML)) for n, page in enumerate(pages)
            }
        if bodies:
            table.add_row(*await _measure_type(media_type, bodies, expected))
    return table


def _make_docx(text: str) -> bytes:
    """Return a Word document of a text, with a paragraph for each line."""
    document, output = docx.Document(), io.BytesIO()
    for line in text.splitlines():
        document.add_paragraph(line)
    document.save(output)
    return output.getvalue()


async def _measure_type(
    media_type: str, bodies: dict[str, bytes], expected: dict[str, ExpectedPhrases]
) -> list[str]:
    product, library = await _time_both(media_type, bodies)
    shared = [_score_words(product.texts[name], library.texts[name]) for name in bodies]
    phrases = [_score_phrases(result.texts, expected) for result in (product, library)]
    ratio = f" ({phrases[0] / phrases[1]:.3f})" if phrases[1] else ""
    return [
        next(suffix for suffix, known in TYPES.items() if known == media_type),
        str(len(bodies)),
        f"{product.seconds * 1000 / len(bodies):.1f}",
        f"{library.seconds * 1000 / len(bodies):.1f}",
        f"{product.seconds / library.seconds:.2f} x",
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


async def _time_both(
    media_type: str, bodies: dict[str, bytes]
) -> tuple[ParserResult, ParserResult]:
    """Parse each file several times in turns; the fastest counts, since other work only slows it."""
    parser = PageParser()
    product, library = ParserResult(0, {}), ParserResult(0, {})
    for name, body in bodies.items():
        product_times, library_times = [], []
        for _ in range(REPEATS):
            begun = time.perf_counter()
            product.texts[name] = (await parser.read(body, media_type, url=URL)).text
            between = time.perf_counter()
            library.texts[name] = _parse_by_library(body, media_type)
            library_times.append(time.perf_counter() - between)
            product_times.append(between - begun)
        product.seconds += min(product_times)
        library.seconds += min(library_times)
    await parser.close()
    return product, library


def _load_expected(folder: Path) -> dict[str, ExpectedPhrases]:
    path = folder / "expected.json"
    pages = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {page["file"]: ExpectedPhrases(page["with"], page["without"]) for page in pages.values()}


def _score_phrases(texts: dict[str, str], expected: dict[str, ExpectedPhrases]) -> float:
    """Return the F1 of the wanted phrases."""
    pairs = [(expected[name], _flatten(text)) for name, text in texts.items() if name in expected]
    extracted = sum(_flatten(p) in text for phrases, text in pairs for p in phrases.wanted)
    missed = sum(len(phrases.wanted) for phrases, _ in pairs) - extracted
    wrong = sum(_flatten(p) in text for phrases, text in pairs for p in phrases.unwanted)
    return 2 * extracted / (2 * extracted + missed + wrong) if extracted else 0.0


def _score_words(one: str, other: str) -> float:
    """Return the F1 of the words that two texts share, each as often as it occurs."""
    words, others = (Counter(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return 2 * (words & others).total() / (words.total() + others.total() or 1)


def _flatten(text: str) -> str:
    return " ".join(text.split())
