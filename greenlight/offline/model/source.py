"""A numbered text that may be quoted, as prompts hand it over: a few lines about it, then itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from greenlight.offline.model.gazetteer import places
from greenlight.offline.text.passages import Passage, passages
from greenlight.offline.text.words import stems

ABOUT = re.compile(r"^(?P<key>url|title|publisher|published|read|part|sections): (?P<value>.*)$")
ENDS = (".", "!", "?", ")", "”", '"', ":", "|", "。")
TITLE_CHARS = 200
SURELY_WHOLE_CHARS = 2_000
FIRST_LINES = 6


@dataclass(frozen=True)
class Source:
    """One source; only its own text is ever quoted, and never a line that may be cut off."""

    number: int
    given: str
    quotes: tuple[str, ...] = ()
    """Of a source that is known by quotes alone, those quotes."""
    told: tuple[str, ...] = ()
    """What was said with each: it names what it is about where the quote does not."""

    @cached_property
    def _parts(self) -> tuple[str, str]:
        head, gap, body = self.given.lstrip().partition("\n\n")
        lines = head.splitlines()
        is_head = all(map(ABOUT.match, lines)) or (len(lines) == 1 and len(head) <= TITLE_CHARS)
        if not gap or not is_head or head.startswith("#"):
            return "", self.given
        titles = (m["value"] for line in lines if (m := ABOUT.match(line)) and m["key"] == "title")
        return next(titles, "" if ABOUT.match(lines[0]) else head.strip()), body

    @property
    def title(self) -> str:
        """What it is called."""
        return self._parts[0] or (self.naming.plain if self.naming else "")

    def is_titled(self, name: str) -> bool:
        """Tell whether the title that it came with names something."""
        return stems(name) <= stems(self._parts[0])

    @property
    def text(self) -> str:
        """What may be quoted."""
        return self._parts[1]

    @cached_property
    def passages(self) -> list[Passage]:
        """Its lines, sentences and clauses."""
        if self.quotes:
            return [Passage(self.number, quote) for quote in self.quotes]
        found = passages(self.number, self.text)
        may_be_cut = len(self.text) > SURELY_WHOLE_CHARS and not self.text.rstrip().endswith(ENDS)
        return found[:-1] if may_be_cut else found

    @cached_property
    def naming(self) -> Passage | None:
        """The passage that says what it is about: its first heading, else its first line."""
        short = [p for p in self.passages[:FIRST_LINES] if len(p.text) <= TITLE_CHARS]
        return next((p for p in short if p.heading), next(iter(short), None))

    def is_about(self, subject: str) -> bool:
        """Tell whether its title or its first lines name a subject."""
        first = " ".join(p.plain for p in self.passages[:2])
        return stems(subject) <= stems(f"{self.title} {first}")

    def naming_of(self, subject: str) -> Passage | None:
        """Return the first passage that names a subject."""
        wanted = stems(subject)
        return next((p for p in self.passages if wanted <= p.stems), None)

    def mentions(self, subject: str) -> int:
        """Return how often it names a subject."""
        return "\n".join([self.text, *self.told]).count(subject)

    def said_with(self, passage: Passage) -> str:
        """Return what was said with a quote, if anything was."""
        return dict(zip(self.quotes, self.told, strict=True)).get(passage.text, "")


def noted(page: Source, written: Any) -> Source:
    """Return a page that is no longer shown, as what the agent itself wrote down of it."""
    own = next((source for source in quoted(written) if source.number == page.number), page)
    return Source(page.number, f"{page.given}{own.text}", own.quotes, own.told)


def is_of(source: Source, asked: list[str]) -> bool:
    """Tell whether a page is about one of the places, or about none at all."""
    named = places(source.title) if asked else []
    return not named or bool(set(named) & set(asked))


def quoted(data: Any) -> list[Source]:
    """Return what is quoted in JSON data, by the number of its source."""
    found: dict[int, dict[str, str]] = {}
    for number, quote, told in citations_in(data):
        found.setdefault(number, {}).setdefault(quote, told)
    return [
        Source(n, "\n".join(quotes), tuple(quotes), tuple(quotes.values()))
        for n, quotes in sorted(found.items())
    ]


def citations_in(data: Any, told: str = "") -> Iterator[tuple[int, str, str]]:
    """Yield every number of a source beside a quote in JSON data, the quote, and what it is said for."""
    if isinstance(data, dict):
        number, quote = data.get("source"), data.get("quote")
        if isinstance(number, int) and isinstance(quote, str) and quote.strip():
            yield number, quote, str(data.get("text", told))
        told = str(data.get("text", ""))
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from citations_in(part, told)
