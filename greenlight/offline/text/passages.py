"""Cutting a document into passages that can be quoted word for word."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from greenlight.offline.text.tables import cells, with_headers
from greenlight.offline.text.words import stems

FIGURE = re.compile(r"[-−]?[$€£¥]?\d(?:[\d.,]*\d)?\s?%?")
YEARS = re.compile(r"\((?:[^()]*\b)?(?:19|20)\d\d[^()]*\)|\b(?:19|20)\d\d\b")
FACT = re.compile(
    r"^(?P<label>(?:[^:.!?|\n]|\.(?=\S)){2,110}):\s+(?P<value>\S.*)$|^\|?(?P<key>[^|]+)\|(?P<cell>[^|]+)\|?$"
)
BULLET = re.compile(r"^(?:[-*+•>]\s+|\d{1,2}[.)]\s+|#{1,6}\s+)+")
SHORT = "".join(
    rf"(?<!\b{word}\.)" for word in ("Inc", "Corp", "Co", "Ltd", "No", "Mr", "Dr", "vs")
)
"""Words whose dot ends no sentence."""
SENTENCE = re.compile(rf"(?<=[.!?]){SHORT}\s+(?=[\"“(\[]?[A-Z0-9])")
ANAPHOR = re.compile(
    r"(?!this (?:article|document|notice|page|press release|report)\b)"
    r"(?:(?:of|among|for) )?(?:those|these|this|that|they|its?|their|such|he|she|both|another|"
    r"a further|the (?:former|latter|rest|others?))\b",
    re.IGNORECASE,
)
"""How a sentence begins that cannot be understood without the one before it."""
FRONT_MATTER = re.compile(r"\A\s*---\n(?:.*\n)*?---\n")
CLAUSE = re.compile(r"(?<=;)\s+")
MARKS = re.compile(r"[*_`]{1,3}")
LONG, LONGEST_FACT = 280, 320
WRAPPED = 40
"""How long a line must be for the next to be able to go on with its sentence."""
LONGEST_LABEL_WORDS = 16


@dataclass(frozen=True)
class Passage:
    """A line, a sentence or a clause; `text` stands in the source exactly so."""

    source: int
    text: str
    heading: bool = False
    header: str = ""
    """The names of the columns, of a row in a table."""

    @cached_property
    def cells(self) -> dict[str, str]:
        """What a row of a table has beneath each name but the first."""
        names = cells(self.header)[1:] if self.header else []
        return dict(zip(names, cells(self.text)[1:], strict=False))

    @cached_property
    def quotes(self) -> list[str]:
        """What has to be quoted to show what it says."""
        return [self.text, *filter(None, [self.header])]

    @cached_property
    def plain(self) -> str:
        """What it says, without the marks of lists and emphasis."""
        if self.header:
            told = "; ".join(f"{name}: {cell}" for name, cell in self.cells.items() if cell)
            return MARKS.sub("", f"{cells(self.text)[0]} — {told}")
        line = " ".join(self.text.split())
        return MARKS.sub("", BULLET.sub("", line)).strip(" |;")

    @cached_property
    def fact(self) -> tuple[str, str] | None:
        """Label and value of a line `Label: value`, or of a table's row with two cells."""
        found = FACT.match(self.plain)
        if self.heading or self.header or not found:
            return None
        label, value = (
            (found["label"] or found["key"]).strip(),
            (found["value"] or found["cell"]).strip(),
        )
        return (label, value) if value and len(label.split()) <= LONGEST_LABEL_WORDS else None

    @cached_property
    def figures(self) -> list[str]:
        """The figures that it gives, years left out."""
        return figures(self.fact[1] if self.fact else self.plain)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of what it says."""
        return frozenset(stems(self.plain))


def figures(text: str) -> list[str]:
    """Return the figures in a text, years left out."""
    return [match.strip() for match in FIGURE.findall(YEARS.sub(" ", text))]


def passages(source: int, text: str) -> list[Passage]:
    """Cut a document's text into lines, and long lines into sentences and clauses."""
    lines = unwrapped(line.strip() for line in FRONT_MATTER.sub("", text).splitlines())
    return [
        Passage(source, part, line.startswith("#"), header)
        for line, header in with_headers(lines)
        for part in ([line] if header else parts(line))
        if sum(c.isalnum() for c in part) >= 3
    ]


def unwrapped(lines: Iterable[str]) -> list[str]:
    """Return lines with those joined that only the width of the page has parted."""
    found: list[str] = []
    for line in lines:
        if found and (is_rest(found[-1].rpartition("\n")[2], line) or points_back(found[-1], line)):
            found[-1] = f"{found[-1]}\n{line}"
        else:
            found.append(line)
    return found


def is_rest(line: str, following: str) -> bool:
    """Tell whether a line breaks off within a sentence that the following one ends."""
    breaks_off = len(line) >= WRAPPED and line[-1] not in ".!?:"
    return breaks_off and following[:1].islower() and is_text(line)


def points_back(line: str, following: str) -> bool:
    """Tell whether a line cannot be understood without the prose before it."""
    return line.endswith((".", "!", "?")) and bool(ANAPHOR.match(following)) and is_text(line)


def is_text(line: str) -> bool:
    """Tell whether a line is prose."""
    return not line.startswith("#") and "|" not in line and not FACT.match(line)


def parts(line: str) -> list[str]:
    """Return a line whole if it is short, a heading or a fact, else its sentences and clauses."""
    if line.startswith("#") or (len(line) <= LONGEST_FACT and FACT.match(line)):
        return [line]
    found: list[str] = []
    for sentence in sentences(line):
        found += CLAUSE.split(sentence) if len(sentence) > LONG else [sentence]
    return found


def sentences(line: str) -> list[str]:
    """Return a line's sentences, each that points back together with the one before it."""
    found: list[str] = []
    end = 0
    for begin, stop in pairwise([0, *(m.end() for m in SENTENCE.finditer(line)), len(line)]):
        joint = found and ANAPHOR.match(line[begin:stop]) and stop - end <= LONG
        if joint:
            found[-1] = line[end:stop].strip()
        else:
            found.append(line[begin:stop].strip())
            end = begin
    return found
