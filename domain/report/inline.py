"""Markdown within a line: untrusted text, and sources by name."""

import re
from functools import lru_cache

from contracts.evidence.sources import Source
from contracts.media_types import PDF
from domain.report.links import is_allowed

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")
_KEPT_LINK = re.compile(
    r"(?<!\\)\[((?:\\.|[^\\\[\]])*+)\]\(<(?:artifacts/source-\d+(?:#page=\d+)?|sources/\d+/snapshot)>\)"
)
"""A link to what the run keeps, as `find_kept` says; brackets of a title are escaped."""


@lru_cache(maxsize=4_000)  # each patch of a report is told with a hash of all of it
def escape_markdown(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def cite_source(number: int, source: Source, page: int | None = None) -> str:
    """Return a source's title, which leads to it, its publisher, its day and the page of a quote."""
    title = escape_markdown(source.title or source.own_path or source.local_path or source.url)
    address = _find_address(number, source)
    told = [f"[{title}](<{address}>)" if address else title, *_describe(source)]
    if page is not None:
        opened = _find_page_address(number, source, page)
        told.append(f"[p. {page}](<{opened}>)" if opened else f"p. {page}")
    return ", ".join(told)


def list_source(number: int, source: Source) -> str:
    """Return a source's title, publisher and day, and its address: its path, if it is of this machine."""
    path = source.own_path or source.local_path
    about = ", ".join(_describe(source))
    address = _find_address(number, source)
    where = f"[{escape_markdown(path)}](<{address}>)" if path and address else f"<{address}>"
    where = where if address else escape_markdown(path or source.url)
    return (
        f"{escape_markdown(source.title or path or source.url)}{about and f' — {about}'}: {where}"
    )


def _describe(source: Source) -> list[str]:
    """Return a source's publisher, or else its author, and its day."""
    told = [*source.byline[-1:], *filter(None, [source.published])]
    return [escape_markdown(part) for part in told]


def unlink_kept(markdown: str) -> str:
    """Return a report in which sources of this machine are named without a link, as in a file.

    A link to what the run keeps of them leads somewhere below the run's address alone.
    """
    return _KEPT_LINK.sub(r"\1", markdown)


def find_kept(number: int, source: Source) -> str:
    """Return where a run keeps a source of this machine, below the run's address; else nothing.

    A file that was given is kept as it is. Of a page that this machine served it is the text: its
    server is gone, or at another port, once the stack has stopped.
    """
    if source.file_name:
        return f"artifacts/source-{number}"
    return f"sources/{number}/snapshot" if source.local_path else ""


def _find_address(number: int, source: Source) -> str:
    """Return where a source can be seen: where the run keeps it, or on the web; else nothing."""
    return _allow(find_kept(number, source) or source.url)


def _find_page_address(number: int, source: Source, page: int) -> str:
    """Return where a page of a PDF opens: in the file that the run keeps, or on the web; else nothing."""
    address = f"artifacts/source-{number}" if source.local_path else source.url.partition("#")[0]
    return _allow(f"{address}#page={page}") if source.content_type == PDF else ""


def _allow(url: str) -> str:
    """Return an address as a link's destination; empty if a report may not link to it."""
    url = url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
    return url if is_allowed(url) else ""
