"""A cited page as a reader of a citation has it: its title, date, headings and tables' headers."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from domain.evidence.quantities import list_scales
from domain.evidence.quotes import Snapshot

YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)")
_HEADING = re.compile(r"^#{1,6}\s+(.{1,200})$", re.MULTILINE)
_HEADER_CHARS = 200


@dataclass(frozen=True)
class CitedPage:
    """A source with its snapshot; `published` is an ISO date or empty."""

    title: str
    snapshot: Snapshot
    publisher: str = ""
    published: str = ""

    @cached_property
    def years(self) -> frozenset[str]:
        """Years that stand anywhere on the page: those of a table's row are in its header."""
        return frozenset(YEAR.findall(self.snapshot.text))

    def find_heading(self, at: int) -> str:
        """Return the heading above an offset, or an empty text."""
        n = bisect_right(self._headings, at, key=itemgetter(0))
        return self._headings[n - 1][1] if n else ""

    def find_scale(self, at: int) -> float:
        """Return what the tables count in, as stated last above an offset, else first below; or 0."""
        n = bisect_right(self._scales, at, key=itemgetter(0))
        return self._scales[max(n - 1, 0)][1] if self._scales else 0.0

    def find_header(self, at: int) -> str:
        """Return the line above an offset that says what the tables count in, or an empty text."""
        n = bisect_right(self._scales, at, key=itemgetter(0))
        if not n:
            return ""
        text, place = self.snapshot.text, self._scales[n - 1][0]
        line = text[text.rfind("\n", 0, place) + 1 :].split("\n", 1)[0]
        return line[:_HEADER_CHARS].strip()

    @cached_property
    def _headings(self) -> list[tuple[int, str]]:
        return [(match.start(), match[1]) for match in _HEADING.finditer(self.snapshot.text)]

    @cached_property
    def _scales(self) -> list[tuple[int, float]]:
        return list_scales(self.snapshot.text)
