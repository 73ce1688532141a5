"""Bibliography entries of a report's sources, with only what the pages themselves state."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from contracts.evidence.sources import Source
from contracts.report.document import Document, SourceList
from domain.report.parts.links import is_on_web

Day = tuple[int, ...]
"""A year, a year and a month, or a day; empty: unknown."""

_DAY = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?![\d-])", re.ASCII)
_CONTROL = dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - {ord(c) for c in "\t\n\v\f\r\x85"})
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\"<>\\^`{|}]")
_WORD = re.compile(r"[a-z0-9]+")
_MAX_WORD, _HASH_DIGITS = 16, 6


@dataclass(frozen=True)
class BibliographyEntry:
    """The bibliographic data of a source; unknown fields are empty."""

    key: str
    """Unique in its list, of `[a-z0-9]`, and derived from the source alone."""
    title: str
    authors: tuple[str, ...] = ()
    """Names as the page writes them, which does not show family names or organisations."""
    publisher: str = ""
    issued: Day = ()
    accessed: Day = ()
    url: str = ""
    """The web URL, with spaces and format-specific characters escaped; empty for the user's own documents."""


def list_cited(document: Document, sources: Sequence[Source]) -> list[Source]:
    """Return the sources that a report cites, in its order."""
    lists = (block.numbers for block in document.blocks if isinstance(block, SourceList))
    return [sources[n - 1] for numbers in lists for n in numbers]


def build_bibliography(sources: Iterable[Source]) -> list[BibliographyEntry]:
    """Return an entry for each source; the later of two equal keys gets a number as suffix."""
    entries, seen = [], Counter[str]()
    for source in sources:
        entry = _describe(source)
        seen[entry.key] += 1
        nth = seen[entry.key]
        entries.append(entry if nth == 1 else replace(entry, key=f"{entry.key}n{nth}"))
    return entries


def _describe(source: Source) -> BibliographyEntry:
    own = source.local_path
    url = "" if own else _UNSAFE.sub(_encode, source.url.strip())
    title = _clean(source.title) or _clean(source.own_path or own) or url
    authors = tuple(filter(None, map(_clean, source.author.split(";"))))
    host = source.host.removeprefix("www.")
    publisher = _clean(source.publisher)
    unnamed = {host, source.own_path, *authors}
    issued = _read_day(source.published or "")
    return BibliographyEntry(
        key=_name_key([*authors[:1], publisher or host, title], issued, source),
        title=title,
        authors=authors,
        publisher="" if publisher.removeprefix("www.") in unnamed else publisher,
        issued=issued[:1] if issued[1:] == (1, 1) else issued,
        accessed=_read_day(source.retrieved_at),
        url=url if is_on_web(url) else "",
    )


def _clean(text: str) -> str:
    """Return a text on one line, without control characters and halves of surrogates."""
    return " ".join(text.translate(_CONTROL).encode(errors="ignore").decode().split())


def _encode(sign: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in sign[0].encode(errors="ignore"))


def _read_day(stated: str) -> Day:
    """Parse the parts of an ISO date that are present; empty if it is not a date."""
    found = _DAY.match(stated)
    if found is None:
        return ()
    day = tuple(int(part) for part in found.groups() if part)
    is_day = all(1 <= part <= most for part, most in zip(day, (9999, 12, 31), strict=False))
    return day if is_day else ()


def _name_key(named: Iterable[str], issued: Day, source: Source) -> str:
    """Return the first word of the first name that has one in Latin letters, the year, and digits of a hash."""
    words = (_WORD.search(_fold(name)) for name in named)
    word = next((found[0][:_MAX_WORD] for found in words if found), "source")
    year = str(issued[0]) if issued else ""
    digest = hashlib.sha256(f"{source.url}\n{source.content_hash}".encode(errors="replace"))
    return f"{word}{year}{digest.hexdigest()[:_HASH_DIGITS]}"


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKD", name[:200]).encode("ascii", "ignore").decode().lower()
