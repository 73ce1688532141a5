"""Cutting a document into passages that can be quoted word for word."""

import re
from dataclasses import dataclass
from functools import cached_property

from greenlight.offline.text.words import stems

FIGURE = re.compile(r"[-−]?[$€£¥]?\d(?:[\d.,]*\d)?\s?%?")
YEARS = re.compile(r"\((?:[^()]*\b)?(?:19|20)\d\d[^()]*\)|\b(?:19|20)\d\d\b")
FACT = re.compile(
    r"^(?P<label>[^:.!?|\n]{2,110}):\s+(?P<value>\S.*)$|^\|?(?P<key>[^|]+)\|(?P<cell>[^|]+)\|?$"
)
BULLET = re.compile(r"^(?:[-*+•>]\s+|\d{1,2}[.)]\s+|#{1,6}\s+)+")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(\[]?[A-Z0-9])")
CLAUSE = re.compile(r"(?<=;)\s+")
MARKS = re.compile(r"[*_`]{1,3}")
LONG = 280
LONGEST_LABEL_WORDS = 16


@dataclass(frozen=True)
class Passage:
    """A line, a sentence or a clause; `text` stands in the source exactly so."""

    source: int
    text: str
    heading: bool = False

    @cached_property
    def plain(self) -> str:
        """What it says, without the marks of lists and emphasis."""
        return MARKS.sub("", BULLET.sub("", self.text)).strip(" |;")

    @cached_property
    def fact(self) -> tuple[str, str] | None:
        """Label and value of a line `Label: value`, or of a table's row with two cells."""
        found = FACT.match(self.plain)
        if self.heading or not found:
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
    lines = (line.strip() for line in text.splitlines())
    return [
        Passage(source, part, line.startswith("#"))
        for line in lines
        for part in parts(line)
        if sum(c.isalnum() for c in part) >= 3
    ]


def parts(line: str) -> list[str]:
    """Return a line whole if it is short, a heading or a fact, else its sentences and clauses."""
    if line.startswith("#") or (len(line) <= LONG and FACT.match(line)):
        return [line]
    sentences = SENTENCE.split(line)
    return [c for s in sentences for c in (CLAUSE.split(s) if len(s) > LONG else [s])]
