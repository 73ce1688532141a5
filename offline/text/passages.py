"""Passages: the sentences, lines and table rows of a document, each quotable to the letter."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from offline.text.words import count_shared, list_terms

MARK = re.compile(r"^(?:[-*+•>]\s+|\d{1,2}[.)]\s+|#{1,6}\s+)+")
EMPHASIS = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,3}|_{1,3}(?!\w)")
SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\b[A-Z]\.)(?<!\b[A-Z]\w\.)(?<!\b[A-Z]\w\w\.)\s+(?=[\"“(\[¿¡]?[^\W_a-z])|(?<=[。！？])"
)
"""End of a sentence, except the dot of a short capitalized word such as `Inc.`."""
FRONT_MATTER = re.compile(r"\A\s*---\n(?:.*\n)*?---\n")
RULE = re.compile(r"^[|\s:-]+$")
HEADING = re.compile(r"#{1,6}\s+\S")
FEWEST_CHARS = 3
HEADING_CHARS = 200
WRAPPED_CHARS = (40, 300)
"""Minimum and maximum length of a line whose sentence may continue on the next line."""


@dataclass(frozen=True)
class Passage:
    """A sentence, line or table row; `text` and `above` are verbatim parts of the source."""

    source: int
    text: str
    above: str = ""
    """The header of its table, else the nearest heading."""
    cited: tuple[tuple[int, str], ...] = ()
    """Sources and quotes, of a sentence that somebody wrote with them."""
    name: str = ""
    """The id of a sentence that somebody wrote and that is given without its quotes."""

    @cached_property
    def plain(self) -> str:
        """Its text without markup; a row's cells each with their column, other text after its heading."""
        if self.cited or self.name:
            return self.text
        if "|" in self.above:
            cells = zip(split_cells(self.above), split_cells(self.text), strict=False)
            return strip_marks("; ".join(f"{n}: {c}" if n else c for n, c in cells if c))
        heading, text = strip_marks(self.above).rstrip(":"), strip_marks(self.text)
        terms = list_terms(heading)
        return text if count_shared(terms, text) == len(terms) else f"{heading}: {text}"

    @property
    def quotes(self) -> list[tuple[int, str]]:
        """The sources and quotes that show what it says."""
        own = [(self.source, quote) for quote in (self.text, self.above) if quote]
        return [*self.cited] or own


def strip_marks(text: str) -> str:
    """Return a text on one line without the marks of lists, headings, tables and emphasis."""
    return EMPHASIS.sub("", MARK.sub("", " ".join(text.split()))).strip(" |")


def split_passages(source: int, text: str) -> list[Passage]:
    """Split a document into table rows and sentences, without headings."""
    lines = join_wrapped(line.strip() for line in FRONT_MATTER.sub("", text).splitlines())
    return [
        Passage(source, part, above)
        for line, above in pair_with_above(lines)
        for part in ([line] if "|" in above else split_line(line))
        if sum(map(str.isalnum, part)) >= FEWEST_CHARS
    ]


def split_line(line: str) -> list[str]:
    """Return the sentences of a line, those of a long one at their semicolons as well."""
    sentences = SENTENCE.split(line)
    clauses = ([s] if len(s) <= WRAPPED_CHARS[1] else re.split(r"(?<=;)\s+", s) for s in sentences)
    return [part.strip() for parts in clauses for part in parts]


def join_wrapped(lines: Iterable[str]) -> list[str]:
    """Return lines, joining those that only the width of the page has separated."""
    found = [[""]]
    least, most = WRAPPED_CHARS
    for line in lines:
        last = found[-1][-1]
        breaks_off = least <= len(last) <= most and last[-1] not in ".!?:|"
        if breaks_off and line[:1].islower() and "|" not in line:
            found[-1].append(line)
        else:
            found.append([line])
    return ["\n".join(wrapped) for wrapped in found]


def pair_with_above(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line of text with the header of its table, else the heading above it; the caption of a table is none."""
    header = heading = ""
    filled = [line for line in lines if line]
    captions = {a for a, b in pairwise(filled) if a.endswith(":") and "|" in b and "|" not in a}
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if line in captions:
            continue
        if "|" not in line:
            header = ""
        if HEADING.match(line):
            heading = line[:HEADING_CHARS]
        elif "|" in following and RULE.match(following) and not header:
            header = line
        elif not RULE.match(line):
            yield line, header or heading


def split_cells(row: str) -> list[str]:
    """Return the cells of a table's row."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
