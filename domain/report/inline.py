"""Markdown within a line: untrusted text, and sources by name."""

import re
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from contracts.evidence.sources import Source

OWN_HOSTS = {"127.0.0.1", "localhost", "::1"}
OWN_PAGES = "/pages/"
"""Where this machine serves a person's own documents, by their paths in a folder."""

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


@lru_cache(maxsize=4_000)  # each patch of a report is told with a hash of all of it
def escape_markdown(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def cite_source(number: int, source: Source) -> str:
    """Return a source's title, which leads to it, its publisher and its day."""
    title = escape_markdown(source.title or find_path(source) or source.url)
    return ", ".join([f"[{title}](<{_find_address(number, source)}>)", *_describe(source)])


def list_source(number: int, source: Source) -> str:
    """Return a source's title, publisher and day, and its address: a document's path, if it is one's own."""
    path = find_path(source)
    about = ", ".join(part for part in _describe(source) if part != escape_markdown(path))
    address = _find_address(number, source)
    where = f"[{escape_markdown(path)}](<{address}>)" if path else f"<{address}>"
    return (
        f"{escape_markdown(source.title or path or source.url)}{about and f' — {about}'}: {where}"
    )


def find_path(source: Source) -> str:
    """Return the path of a document of the user's own; empty for a page of the web."""
    if source.file_name:
        return source.file_name
    try:
        address = urlsplit(source.url)
    except ValueError:
        return ""
    is_own = address.hostname in OWN_HOSTS and address.path.startswith(OWN_PAGES)
    return unquote(address.path.removeprefix(OWN_PAGES)) if is_own else ""


def _describe(source: Source) -> list[str]:
    """Return a source's publisher, unless it is this machine, and its day."""
    publisher = "" if source.publisher in OWN_HOSTS else source.publisher
    return [escape_markdown(part) for part in (publisher, source.published) if part]


def _find_address(number: int, source: Source) -> str:
    """Return where a source can be seen: a file that the user gave, where the run keeps it."""
    url = f"artifacts/source-{number}" if source.file_name else source.url
    return url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
