"""The fenced blocks of the documents, as a reader copies them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PART = re.compile(
    r"^#+ (?P<heading>[^\n]*)$|^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """One fenced block, with the text above it."""

    page: str
    heading: str
    language: str
    nth: int
    """The number, from 1, among blocks of the same language under its heading."""
    lead: str
    """The paragraph above it."""
    text: str

    def __str__(self) -> str:
        place = f"{self.page}, {self.heading}, {self.language or 'output'}"
        return place if self.nth == 1 else f"{place} {self.nth}"

    @property
    def reason(self) -> str:
        """Why it is not run, as a comment says that readers do not see; else empty."""
        found = re.fullmatch(r"<!-- not run: (.+) -->", self.lead)
        return found[1] if found else ""

    @property
    def file(self) -> str:
        """The name of the file that the reader should save or change; else empty."""
        found = re.search(r"Save this as `([\w.-]+)`|^`([\w./]+)`(?:, new)?:$", self.lead)
        return (found[1] or found[2]) if found else ""


def read_blocks(page: Path) -> Iterator[Block]:
    """Yield a page's blocks in their order."""
    told, heading, counted = page.read_text(encoding="utf-8"), "", Counter[tuple[str, str]]()
    for part in PART.finditer(told):
        if part["heading"]:
            heading = part["heading"]
            continue
        counted[heading, part["language"]] += 1
        above = told[: part.start()].rstrip().rsplit("\n\n", 1)[-1]
        yield Block(
            page=page.relative_to(ROOT).as_posix(),
            heading=heading,
            language=part["language"],
            nth=counted[heading, part["language"]],
            lead=" ".join(above.split()),
            text=part["text"],
        )


BLOCKS = [block for page in PAGES for block in read_blocks(page)]
