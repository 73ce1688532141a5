"""Markdown within a line: untrusted text, and sources by name."""

import re
from functools import lru_cache

from contracts.evidence.sources import Source

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


@lru_cache(maxsize=4_000)  # each patch of a report is told with a hash of all of it
def escape_markdown(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def cite_source(number: int, source: Source) -> str:
    """Return a source's title, which leads to it, its publisher and its day."""
    title = escape_markdown(source.title or source.own_path or source.url)
    return ", ".join([f"[{title}](<{_find_address(number, source)}>)", *_describe(source)])


def list_source(number: int, source: Source) -> str:
    """Return a source's title, publisher and day, and its address: a document's path, if it is one's own."""
    path = source.own_path
    about = ", ".join(_describe(source))
    address = _find_address(number, source)
    where = f"[{escape_markdown(path)}](<{address}>)" if path else f"<{address}>"
    return (
        f"{escape_markdown(source.title or path or source.url)}{about and f' — {about}'}: {where}"
    )


def _describe(source: Source) -> list[str]:
    """Return a source's publisher, or else its author, and its day."""
    told = [*source.byline[-1:], *filter(None, [source.published])]
    return [escape_markdown(part) for part in told]


def _find_address(number: int, source: Source) -> str:
    """Return where a source can be seen: a file that the user gave, where the run keeps it."""
    url = f"artifacts/source-{number}" if source.file_name else source.url
    return url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
