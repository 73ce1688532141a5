"""Cutting a document into passages that can be quoted word for word."""

import re
from dataclasses import dataclass
from functools import cached_property

from greenlight.offline.text.words import stems

FIGURE = re.compile(r"[$€£¥]?\s?\d(?:[\d.,]*\d)?\s?%?")
YEARS = re.compile(r"\(?\b(?:19|20)\d\d(?:[-–/]\d{2,4})?\b(?: est\.)?\)?")
FACT = re.compile(r"^(?P<label>[^:.!?|\n]{2,90}):\s+(?P<value>\S.*)$")
BULLET = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,2}[.)]\s+|>\s*|#{1,6}\s+)?")
SENTENCE = re.compile(r"(?<=[.!?])[\"”')\]]?\s+(?=[\"“(\[]?[A-Z0-9])")
MARKS = re.compile(r"[*_`]{1,3}")
LONGEST_LABEL_WORDS = 14


@dataclass(frozen=True)
class Passage:
    """A line or sentence; `text` stands in the source exactly so."""

    source: int
    text: str
    heading: bool = False

    @cached_property
    def plain(self) -> str:
        """The passage without marks of emphasis."""
        return MARKS.sub("", self.text)

    @cached_property
    def fact(self) -> tuple[str, str] | None:
        """Label and value of a line `Label: value`."""
        found = FACT.match(self.plain)
        if (
            not found
            or len(found["label"].split()) > LONGEST_LABEL_WORDS
            or "//" in found["value"][:2]
        ):
            return None
        return found["label"].strip(), found["value"].strip()

    @cached_property
    def figures(self) -> list[str]:
        """The figures in it that are more than a year."""
        return figures(self.fact[1] if self.fact else self.plain)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of what it says."""
        return frozenset(stems(self.plain))


def figures(text: str) -> list[str]:
    """Return the figures in a text, years left out."""
    return [match.strip() for match in FIGURE.findall(YEARS.sub(" ", text))]


def passages(source: int, text: str) -> list[Passage]:
    """Cut a document's text into lines, and long lines into sentences."""
    found: list[Passage] = []
    for line in text.splitlines():
        body = BULLET.sub("", line).strip().strip("|").strip()
        if len(body) < 3 or not any(c.isalnum() for c in body):
            continue
        heading = line.lstrip().startswith("#")
        whole = Passage(source, body, heading)
        parts = [body] if heading or whole.fact else SENTENCE.split(body)
        found += [Passage(source, part.strip(), heading) for part in parts if part.strip()]
    return found
