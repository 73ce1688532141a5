"""Passages: the lines, sentences and table rows of a document, each quotable to the letter."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
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
HEADING = re.compile(r"(#{1,6})\s+\S")
CAPTION = re.compile(r"[^\W\d_a-zß-ÿ][^\d|!?;]{0,58}[^\d\s|.,!?;…。！？]")
"""A line that may be a heading without a mark, as pages in HTML have them: short, no sentence, no figure."""
CAPTION_LEVEL = 7
FENCES = ("```", "~~~")
LONG_CHARS, BRIEF_CHARS, HEADING_CHARS = 300, 160, 200
WRAPPED_CHARS = 40
"""Length of a line from which the next may go on with its sentence."""


@dataclass(frozen=True)
class Passage:
    """A line, a sentence or a clause; `text` stands in the source exactly so."""

    source: int
    text: str
    header: str = ""
    """The row that names the columns, of a row in a table."""
    headings: tuple[str, ...] = ()
    """The lines that head it, the innermost last."""
    of: tuple[str, ...] = field(default=(), compare=False)
    """Those of its headings that say what it is of where it does not."""

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
        return strip_marks(self.text).strip(" |;")

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
        """Its text, and of a long one the first clause, behind what it is of."""
        is_short = len(self.plain) <= BRIEF_CHARS
        told = self.plain if is_short else self.plain.partition("; ")[0]
        return ": ".join([*(strip_marks(line).rstrip(":") for line in self.of), told])

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
        """The quotes that show what it says: itself, of a row the names of its columns, what it is of."""
        return [self.text, *filter(None, [self.header]), *self.of]


def strip_marks(text: str) -> str:
    """Return a text on one line without the marks of lists, headings and emphasis."""
    return EMPHASIS.sub("", MARK.sub("", " ".join(text.split())))


def find_figures(text: str) -> list[str]:
    """Return the figures in a text, years left out."""
    return [match.strip() for match in FIGURE.findall(YEARS.sub(" ", text))]


def split_passages(source: int, text: str) -> list[Passage]:
    """Cut a document's text into its lines, and long lines into sentences and clauses."""
    lines = join_wrapped(line.strip() for line in FRONT_MATTER.sub("", text).splitlines())
    return [
        Passage(source, part, header, headings)
        for line, header, headings in place_under_headings(pair_with_headers(lines))
        for part in ([line] if header else split_line(line))
        if sum(map(str.isalnum, part)) >= 3
    ]


def split_quotes(source: int, quotes: Iterable[str]) -> list[Passage]:
    """Return quotes that belong together as passages: what may be a heading heads the others."""
    told = list(quotes)
    rest = [quote for quote in told if not (HEADING.match(quote) or is_caption(quote))]
    heads = tuple(quote for quote in told if rest and quote not in rest)
    found = (p for quote in rest or told for p in split_passages(source, quote))
    return [replace(passage, headings=heads) for passage in found]


def join_wrapped(lines: Iterable[str]) -> list[str]:
    """Return lines with those joined that only the width of the page has parted."""
    found = [[""]]
    for line in lines:
        last = found[-1][-1]
        breaks_off = WRAPPED_CHARS <= len(last) <= LONG_CHARS and last[-1] not in ".!?:|"
        if breaks_off and line[:1].islower() and "|" not in line:
            found[-1].append(line)
        else:
            found.append([line])
    return ["\n".join(wrapped) for wrapped in found]


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


def place_under_headings(
    rows: Iterable[tuple[str, str]],
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each line with its table's header and the headings above it."""
    told = [row for row in rows if row[0]]
    above: dict[int, str] = {}
    is_code = False
    for (line, header), (following, _) in zip(told, [*told[1:], ("", "")], strict=False):
        is_code ^= line.startswith(FENCES)
        level = 0 if is_code or header else find_level(line, following)
        if level:
            above = {n: text for n, text in above.items() if n < level}
        yield line, header, tuple(above.values())
        if level:
            above[level] = line[:HEADING_CHARS]


def find_level(line: str, following: str) -> int:
    """Return the level of a heading, 0 for any other line; one without a mark has text below it."""
    if found := HEADING.match(line):
        return len(found[1])
    has_text = bool(following) and not HEADING.match(following) and not is_caption(following)
    return CAPTION_LEVEL if has_text and is_caption(line) else 0


def is_caption(line: str) -> bool:
    """Tell whether a line may be a heading without a mark."""
    plain = EMPHASIS.sub("", line)
    return bool(CAPTION.fullmatch(plain)) and not FACT.fullmatch(plain)


def split_cells(row: str) -> list[str]:
    """Return the cells of a table's row."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def split_line(line: str) -> list[str]:
    """Return a line whole if it is short, a heading or a fact, else its sentences and clauses."""
    is_whole = line.startswith("#") or (len(line) <= LONG_CHARS and FACT.fullmatch(line))
    sentences = [line] if is_whole else [part.strip() for part in SENTENCE.split(line)]
    clauses = (CLAUSE.split(each) if len(each) > LONG_CHARS else [each] for each in sentences)
    return [clause for parts in clauses for clause in parts if clause]
