"""Faithful reading: what the text of small documents in every format must and must not contain.

A case is a folder with an `expect.json`: the `file` of the case, and regular expressions that its text must
match (`has`) or must not (`no`); `keep` lists passages of the text. Beside it, an `expected.txt` is the whole
right text: its figures, each with its sign, currency and per cent, are counted against those that were read.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from activities.parsing.document import Unreadable
from activities.parsing.page_parser import PageParser
from bench.harness import make_table
from contracts.media_types import SUFFIXES

FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures" / "reading"
URL = "http://page.example/"
_FIGURE = re.compile(r"[-−]?[$€£¥]?[-−]?\d(?:[\d.,]*\d)?[%€£¥]?")


@dataclass(frozen=True)
class ReadCase:
    """The result of one case: the text read, and its faults."""

    name: str
    suffix: str
    text: str
    faults: list[str]


async def read_cases(folders: Sequence[Path]) -> list[ReadCase]:
    """Read the cases below some folders as an upload is read."""
    parser = PageParser()
    try:
        paths = sorted(path for folder in folders for path in folder.rglob("expect.json"))
        return [await read_case(parser, path) for path in paths]
    finally:
        await parser.close()


async def measure(folders: Sequence[Path]) -> Table:
    """Read the cases below some folders; a row for each format, and one for each case that is wrong."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    cases = await read_cases(folders)
    for case in cases:
        counts[case.suffix][0] += not case.faults
        counts[case.suffix][1] += 1
    table = make_table("Faithful reading", "", "right", "of", "what is wrong")
    for suffix, (right, of) in sorted(counts.items()):
        table.add_row(suffix, str(right), str(of), "")
    for case in cases:
        if case.faults:
            table.add_row(case.name, "", "", "; ".join(case.faults)[:300])
    return table


async def read_case(parser: PageParser, path: Path) -> ReadCase:
    """Read one case like an upload, and compare the text with the expectation."""
    expected, file, body, whole = _load_case(path)
    try:
        read = await parser.read(body, SUFFIXES.get(file.suffix, ""), url=URL)
    except Unreadable as error:
        return ReadCase(path.parent.name, file.suffix, "", [str(error)])
    text = f"{read.title}\n{read.text}"
    faults = [f"lacks {each}" for each in expected.get("has", []) if not re.search(each, text)]
    faults += [f"has {each}" for each in expected.get("no", []) if re.search(each, text)]
    flat = " ".join(text.split())
    faults += [f"lost {each!r}" for each in expected.get("keep", []) if each not in flat]
    if whole:
        faults += _compare_figures(read.text, whole)
    return ReadCase(path.parent.name, file.suffix, text, faults)


def _load_case(path: Path) -> tuple[dict[str, Any], Path, bytes, str]:
    """Return a case's expectation, its file with content, and the complete expected text if there is one."""
    expected = json.loads(path.read_text("utf-8"))
    file, whole = path.parent / expected["file"], path.with_name("expected.txt")
    right = whole.read_text("utf-8") if whole.exists() else ""
    return expected, file, file.read_bytes(), right


def _compare_figures(text: str, right: str) -> list[str]:
    """Return the figures that were lost, and those that the document does not have."""
    found, wanted = _count_figures(text), _count_figures(right)
    lost = [f"lost figure {each!r}" for each in (wanted - found).elements()]
    return lost + [f"made figure {each!r}" for each in (found - wanted).elements()]


def _count_figures(text: str) -> Counter[str]:
    return Counter(_FIGURE.findall(text))
