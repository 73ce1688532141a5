"""Reading pages and files as runs do, beside the library that does most of it, on its own.

Needs no stack, but pages: folders of .html, .pdf and .docx; without a .docx, the pages' texts are
made into some. An `expected.json` among them, as in trafilatura's own evaluation set, says of each
`file` which phrases are to be read (`with`) and which are not (`without`).
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
REPEATS = 5


@dataclass
class Way:
    """A way of reading: how long it took, and what it gave, by file."""

    seconds: float
    texts: dict[str, str]


@dataclass(frozen=True)
class Phrases:
    """What is to be read of a page, and what is not."""

    wanted: list[str]
    unwanted: list[str]


async def measure(folders: list[Path]) -> Table:
    """Read everything in both ways; a row for each type of file."""
    files = {path.name: path for folder in folders for path in sorted(folder.rglob("*.*"))}
    expected = {k: v for folder in folders for k, v in _expected(folder).items()}
    table = Table(title="Reading pages and files, beside the library alone")
    for name in (
        "",
        "files",
        "ms a file",
        "library: ms",
        "time",
        "words shared (F1)",
        "phrases (F1)",
    ):
        table.add_column(name, justify="left" if not name else "right")
    for media_type in (HTML, PDF, DOCX):
        found = {n: p.read_bytes() for n, p in files.items() if TYPES.get(p.suffix) == media_type}
        if media_type == DOCX and not found:
            pages = (path.read_bytes() for path in files.values() if TYPES.get(path.suffix) == HTML)
            found = {str(n): _word(await _alone(page, HTML)) for n, page in enumerate(pages)}
        if found:
            table.add_row(*await _row(media_type, found, expected))
    return table


def _word(text: str) -> bytes:
    """Return a Word document of a text, a paragraph a line."""
    made, kept = docx.Document(), io.BytesIO()
    for line in text.splitlines():
        made.add_paragraph(line)
    made.save(kept)
    return kept.getvalue()


async def _row(media_type: str, found: dict[str, bytes], expected: dict[str, Phrases]) -> list[str]:
    ours, alone = await _both(media_type, found)
    shared = [_overlap(ours.texts[name], alone.texts[name]) for name in found]
    judged = [_phrases(way.texts, expected) for way in (ours, alone)]
    ratio = f" ({judged[0] / judged[1]:.3f})" if judged[1] else ""
    return [
        next(suffix for suffix, known in TYPES.items() if known == media_type),
        str(len(found)),
        f"{ours.seconds * 1000 / len(found):.1f}",
        f"{alone.seconds * 1000 / len(found):.1f}",
        f"{ours.seconds / alone.seconds:.2f} x",
        f"{sum(shared) / len(shared):.3f}",
        f"{judged[0]:.3f} to {judged[1]:.3f}{ratio}" if ratio else "",
    ]


async def _alone(body: bytes, media_type: str) -> str:
    """Read as one would without us: no limits, no metadata, no process of its own."""
    if media_type == PDF:
        pages = pypdfium2.PdfDocument(body)
        return "\n".join(page.get_textpage().get_text_bounded() for page in pages)
    if media_type == DOCX:
        return "\n".join(part.text for part in docx.Document(io.BytesIO(body)).paragraphs)
    return trafilatura.extract(body, include_comments=False) or ""


async def _both(media_type: str, found: dict[str, bytes]) -> tuple[Way, Way]:
    """Read each file some times, in turns; the fastest counts, since the machine does other things."""
    parser = PageParser()

    async def ours(body: bytes, media_type: str) -> str:
        return (await parser.read(body, media_type, url="http://page.example/")).text

    ways = Way(0, {}), Way(0, {})
    for name, body in found.items():
        took: tuple[list[float], list[float]] = [], []
        for _ in range(REPEATS):
            for way, times, read in zip(ways, took, (ours, _alone), strict=True):
                begun = time.perf_counter()
                way.texts[name] = await read(body, media_type)
                times.append(time.perf_counter() - begun)
        for way, times in zip(ways, took, strict=True):
            way.seconds += min(times)
    await parser.close()
    return ways


def _expected(folder: Path) -> dict[str, Phrases]:
    path = folder / "expected.json"
    told = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {page["file"]: Phrases(page["with"], page["without"]) for page in told.values()}


def _phrases(texts: dict[str, str], expected: dict[str, Phrases]) -> float:
    """Return F1: wanted phrases that were read, and unwanted ones that were not."""
    pairs = [(expected[name], _flat(text)) for name, text in texts.items() if name in expected]
    read = sum(_flat(phrase) in text for told, text in pairs for phrase in told.wanted)
    missed = sum(len(told.wanted) for told, _ in pairs) - read
    wrong = sum(_flat(phrase) in text for told, text in pairs for phrase in told.unwanted)
    return 2 * read / (2 * read + missed + wrong) if read else 0.0


def _overlap(one: str, other: str) -> float:
    """Return F1 of the words that two texts share, each counted as often as it stands there."""
    here, there = (Counter(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return 2 * (here & there).total() / (here.total() + there.total() or 1)


def _flat(text: str) -> str:
    return " ".join(text.split())
