"""Passages: the lines, sentences and table rows of a document, each quotable to the letter."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

FIGURE = re.compile(r"[-−]?[$€£¥]?\d(?:[\d.,]*\d)?\s?%?")
YEARS = re.compile(r"\([^()]{0,40}\b(?:19|20)\d\d[^()]{0,40}\)|\b(?:19|20)\d\d\b")
FACT = re.compile(r"([^:!?|\n]{2,120}):\s+(\S.*)", re.DOTALL)
MARK = re.compile(r"^(?:[-*+•>]\s+|\d{1,2}[.)]\s+|#{1,6}\s+)+")
EMPHASIS = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,3}|_{1,3}(?!\w)")
SHORT = "".join(rf"(?<!\b{w}\.)" for w in ("Inc", "Corp", "Co", "Ltd", "No", "Mr", "Dr", "vs"))
"""Words whose dot ends no sentence."""
SENTENCE = re.compile(rf"(?<=[.!?]){SHORT}\s+(?=[\"“(\[¿¡]?[^\W_a-z])|(?<=[。！？])")
CLAUSE = re.compile(r"(?<=;)\s+")
FRONT_MATTER = re.compile(r"\A\s*---\n(?:.*\n)*?---\n")
RULE = re.compile(r"^[|\s:-]+$")
LONG_CHARS, BRIEF_CHARS = 300, 160
WRAPPED_CHARS = 40
"""Length of a line from which the next may go on with its sentence."""


@dataclass(frozen=True)
class Passage:
    """A line, a sentence or a clause; `text` stands in the source exactly so."""

    source: int
    text: str
    header: str = ""
    """The row that names the columns, of a row in a table."""

    @property
    def is_heading(self) -> bool:
        """Tell whether it is a heading in Markdown."""
        return self.text.startswith("#")

    @cached_property
    def plain(self) -> str:
        """Its text without the marks of lists, tables and emphasis."""
        if self.cells:
            told = "; ".join(f"{name}: {cell}" for name, cell in self.cells.items() if cell)
            return EMPHASIS.sub("", f"{self.label}: {told}")
        line = MARK.sub("", " ".join(self.text.split()))
        return EMPHASIS.sub("", line).strip(" |;")

    @property
    def label(self) -> str:
        """The first cell of a table's row, which says what the others are of."""
        return EMPHASIS.sub("", split_cells(self.text)[0]) if self.header else ""

    @property
    def words(self) -> str:
        """Its text, and of a row the name of the first column as well."""
        return f"{self.plain} {split_cells(self.header)[0]}"

    @property
    def brief(self) -> str:
        """Its text, and of a long one the first clause."""
        return self.plain if len(self.plain) <= BRIEF_CHARS else self.plain.partition("; ")[0]

    @cached_property
    def cells(self) -> dict[str, str]:
        """The cells of a table's row by the names of their columns, but for the first."""
        if not self.header:
            return {}
        return dict(zip(split_cells(self.header)[1:], split_cells(self.text)[1:], strict=False))

    @cached_property
    def fact(self) -> tuple[str, str] | None:
        """Label and value of a line `Label: value`."""
        found = None if self.is_heading or self.header else FACT.fullmatch(self.plain)
        if not found or ". " in found[1]:
            return None
        return found[1].strip(), found[2].strip()

    @cached_property
    def figures(self) -> list[str]:
        """The figures that it gives, years left out."""
        return find_figures(self.fact[1] if self.fact else self.plain)

    @property
    def quotes(self) -> list[str]:
        """The quotes that show what it says: itself, and of a row the names of its columns."""
        return [self.text, self.header] if self.header else [self.text]


def find_figures(text: str) -> list[str]:
    """Return the figures in a text, years left out."""
    return [match.strip() for match in FIGURE.findall(YEARS.sub(" ", text))]


def split_passages(source: int, text: str) -> list[Passage]:
    """Cut a document's text into its lines, and long lines into sentences and clauses."""
    lines = join_wrapped(line.strip() for line in FRONT_MATTER.sub("", text).splitlines())
    return [
        Passage(source, part, header)
        for line, header in pair_with_headers(lines)
        for part in ([line] if header else split_line(line))
        if sum(map(str.isalnum, part)) >= 3
    ]


def join_wrapped(lines: Iterable[str]) -> list[str]:
    """Return lines with those joined that only the width of the page has parted."""
    found = [""]
    for line in lines:
        last = found[-1].rpartition("\n")[2]
        breaks_off = WRAPPED_CHARS <= len(last) <= LONG_CHARS and last[-1] not in ".!?:|"
        if breaks_off and line[:1].islower() and "|" not in line:
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found


def pair_with_headers(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line with the header of the table that it is a row of, or nothing."""
    header = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if "|" not in line:
            header = ""
            yield line, ""
        elif header and not RULE.match(line):
            yield line, header
        elif not header and RULE.match(following) and "|" in following:
            header = line


def split_cells(row: str) -> list[str]:
    """Return the cells of a table's row."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def split_line(line: str) -> list[str]:
    """Return a line whole if it is short, a heading or a fact, else its sentences and clauses."""
    is_whole = line.startswith("#") or (len(line) <= LONG_CHARS and FACT.fullmatch(line))
    sentences = [line] if is_whole else [part.strip() for part in SENTENCE.split(line)]
    clauses = (CLAUSE.split(each) if len(each) > LONG_CHARS else [each] for each in sentences)
    return [clause for parts in clauses for clause in parts if clause]
