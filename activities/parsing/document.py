"""The readable content of a page or a file of any format."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from activities.parsing.superscripts import separate_raised
from contracts.documents import CoverPage, PageSection, TaggedFigure, UnreadCode, UnreadPart
from contracts.evidence.read_failures import FailureCode, describe_failure
from contracts.notices import Notice

MAX_TEXT_CHARS = 2_000_000
MAX_SECTIONS, MAX_HEADING_CHARS = 120, 120
MAX_LINE_CHARS = 300
MAX_NAMES = 20
MAX_LINKS, MAX_LINK_CHARS = 500, 2_000
"""A page may have a model choose among its links, and so learn which one: nine bits a fetch."""

_UNSEEN = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef"
"""Soft hyphens, joiners, overrides of direction, and tags and selectors that spell unseen text."""
_CONTROL = re.compile(rf"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff{_UNSEEN}]+")
_BLANK_LINES = re.compile(r"\n(?>(?:[^\S\n\f]*+\n){2,})")


class Unreadable(Exception):
    """A document that cannot be read; its message continues "The page at …"."""

    def __init__(self, failure: FailureCode | Notice, **params: str | float) -> None:
        if not isinstance(failure, Notice):
            failure = describe_failure(failure, **params)
        self.failure: Notice = failure
        super().__init__(self.failure.text)


@dataclass(frozen=True)
class Parsed:
    """The readable part of a document, and what it says about itself."""

    text: str
    media_type: str
    title: str = ""
    author: str = ""
    publisher: str = ""
    published: str | None = None
    description: str = ""
    sections: tuple[PageSection, ...] = ()
    links: tuple[str, ...] = ()
    """The absolute addresses that the first of its links lead to."""
    parts: tuple[TaggedFigure, ...] = ()
    """Revenue and operating income of a filing, by part."""
    cover: CoverPage = field(default_factory=CoverPage)
    """Numbers of shares and titles of securities of a filing."""
    risks: tuple[str, ...] = ()
    """The headings of an annual report's risk factors."""
    unread: tuple[UnreadPart, ...] = ()
    """The parts of the document that its text lacks."""


def tidy(text: str) -> str:
    """Remove control characters, which could hide text, and separate superscript digits.

    Several blank lines become one.
    """
    lines = normalize("NFC", _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    return _BLANK_LINES.sub("\n\n", separate_raised(lines).strip())


def clean(text: str) -> str:
    """Return a tidy text up to the limit."""
    return tidy(text)[:MAX_TEXT_CHARS]


def cut_long(parsed: Parsed) -> Parsed:
    """Truncate a document's text to the limit, and note how much was cut."""
    chars = len(parsed.text)
    if chars <= MAX_TEXT_CHARS:
        return parsed
    part = UnreadPart(code="text_cut", count=chars - MAX_TEXT_CHARS, of=chars)
    return replace(
        parsed,
        text=parsed.text[:MAX_TEXT_CHARS],
        sections=tuple(
            each.model_copy(update={"end": min(each.end, MAX_TEXT_CHARS)})
            for each in parsed.sections
            if each.start < MAX_TEXT_CHARS
        ),
        unread=(*parsed.unread, part),
    )


def list_unread(code: UnreadCode, names: Sequence[str], of: int | None = None) -> list[UnreadPart]:
    """Return the parts of a document that were not read with one code, and the first of their names, which may be empty."""
    if not names:
        return []
    shown = [*dict.fromkeys(filter(None, names))][:MAX_NAMES]
    return [UnreadPart(code=code, count=len(names), of=of, names=shown)]


def line(text: str | None, most: int = MAX_LINE_CHARS) -> str:
    """Return a text as one line of at most `most` characters."""
    return " ".join(_CONTROL.sub("", text or "").split())[:most]


def first_line(text: str) -> str:
    """Return the first meaningful line without heading marks; table rows are not titles."""
    lines = (line(each).removesuffix("|").rstrip() for each in text[:300].splitlines())
    titles = (
        each.lstrip("#| ") for each in lines if not (each.startswith("|") and " | " in each[1:])
    )
    return next((each for each in titles if any(map(str.isalnum, each))), "")


def row(cells: Iterable[str]) -> str:
    """Return a table's row as one line that a quote can be found in."""
    return "| " + " | ".join(line(cell, len(cell)).replace("|", "\\|") for cell in cells) + " |"


def sections(text: str, headings: Iterable[tuple[str, int]]) -> tuple[PageSection, ...]:
    """Return the places of headings as lines of a text: in order, each from its offset on."""
    wanted = [(heading, line(heading), earliest) for heading, earliest in headings]
    first_signs = {words[:1] for _, words, _ in wanted if words}
    places: dict[str, list[int]] = {}  # where each line begins, by its words
    offset = 0
    for each in text.split("\n") if first_signs else ():
        if each.lstrip()[:1] in first_signs:
            places.setdefault(" ".join(each.split())[:MAX_LINE_CHARS], []).append(offset)
        offset += len(each) + 1
    found: list[tuple[str, int]] = []
    after = 0
    for heading, words, earliest in wanted:
        offsets = places.get(words, [])
        at = bisect_left(offsets, max(after, earliest))
        if at < len(offsets):
            found.append((heading, offsets[at]))
            after = offsets[at] + 1
    return bounded(found, len(text))


def bounded(found: list[tuple[str, int]], chars: int) -> tuple[PageSection, ...]:
    """Return the first of the headings that were found, each up to the next one's offset."""
    ends = [*(start for _, start in found[1 : MAX_SECTIONS + 1]), chars]
    return tuple(
        PageSection(heading=line(heading, MAX_HEADING_CHARS), start=start, end=end)
        for (heading, start), end in zip(found[:MAX_SECTIONS], ends, strict=False)
    )
