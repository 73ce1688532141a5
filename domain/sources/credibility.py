"""Notes on a source's credibility: simple rules over the metadata of its page."""

import json
import re
import unicodedata
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib.resources import files
from urllib.parse import urlsplit

from contracts.evidence.read_failures import FormatName
from contracts.evidence.sources import Source
from contracts.media_types import (
    CSV,
    DOCX,
    EML,
    EPUB,
    JSON,
    JSON_LINES,
    ODT,
    PDF,
    PLAIN,
    PPTX,
    RTF,
    TSV,
    XLSX,
)
from contracts.notices import Notice

USER_CONTENT: dict[str, str] = json.loads(
    files(__package__).joinpath("user_written_hosts.json").read_text("utf-8")
)
"""Hosts, with their subdomains, labels of hosts and folders of paths where anyone may write."""
FORMATS: dict[str, FormatName] = {
    PDF: "pdf",
    DOCX: "word",
    XLSX: "workbook",
    PPTX: "slides",
    EPUB: "ebook",
    ODT: "odt",
    RTF: "rtf",
    EML: "message",
    **dict.fromkeys((CSV, TSV), "table"),
    **dict.fromkeys((JSON, JSON_LINES), "json"),
}
NAMES_NOBODY = frozenset({PLAIN, CSV, TSV, JSON, JSON_LINES, RTF})
"""Formats in which a document does not name its publisher; of the others its metadata do."""
SHORT_TEXT_CHARS = 300
NAMELESS_HOSTS = re.compile(r"localhost|[0-9.]+|\[?(?=[0-9a-f]*:)[0-9a-f:]*\]?")
"""This machine and IP addresses, whose names say nothing about a publisher."""
INSIGNIFICANT_WORDS = frozenset(
    ["and", "for", "inc", "llc", "ltd", "news", "of", "online", "the", "press", "group"]
)


def _publisher_is_host(source: Source) -> bool:
    """Return whether the publisher is only the host's name, as for pages that name none."""
    named = source.publisher.casefold().removeprefix("www.")
    return named in {_host(source), urlsplit(source.url).netloc.casefold().removeprefix("www.")}


def _is_user_content(source: Source) -> bool:
    host, path = _host(source), urlsplit(source.url).path.casefold()
    hosts, labels, folders = (USER_CONTENT[kind].split() for kind in ("hosts", "labels", "folders"))
    return (
        f".{host}".endswith(tuple(f".{known}" for known in hosts))
        or not set(labels).isdisjoint(host.split(".")[:-2])
        or not set(folders).isdisjoint(path.split("/"))
    )


def _latest_day(retrieved_at: str) -> str:
    """Return the day it was, at a time in UTC, where days begin first (UTC+14)."""
    return (datetime.fromisoformat(retrieved_at) + timedelta(hours=14)).date().isoformat()


def _is_on_foreign_host(source: Source) -> bool:
    """Return whether the host contains neither a word nor the initials of the publisher's name."""
    host = _host(source)
    # Strip accents and drop other scripts.
    name = unicodedata.normalize("NFKD", source.publisher).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", name.casefold())
    if not words or NAMELESS_HOSTS.fullmatch(host):
        return False
    significant = [word for word in words if len(word) > 2 and word not in INSIGNIFICANT_WORDS]
    if any(word in host.replace("-", "") for word in significant):
        return False
    initials = {"".join(w[0] for w in words), "".join(w[0] for w in significant), "".join(words)}
    labels = [label for label in host.split(".")[:-1] if len(label) > 1]
    return not any(i.startswith(label) or label in i for label in labels for i in initials if i)


RULES: tuple[tuple[Callable[[Source], bool], str], ...] = (
    (lambda s: not s.published, "source-undated"),
    (
        lambda s: (s.published or "")[:10] > _latest_day(s.retrieved_at),
        "source-dated-later",
    ),
    (
        lambda s: not s.author and (not s.publisher or _publisher_is_host(s)),
        "source-nameless",
    ),
    (_is_on_foreign_host, "source-foreign-host"),
    (_is_user_content, "source-by-users"),
    (
        lambda s: s.url.startswith("http:") and not NAMELESS_HOSTS.fullmatch(_host(s)),
        "source-unencrypted",
    ),
    (lambda s: s.chars < SHORT_TEXT_CHARS, "source-short"),
)


def note_credibility(source: Source) -> list[Notice]:
    """Return what a reader should know before trusting a source, in the order of the rules.

    Return nothing for the user's own documents, whose origin they know.
    """
    if source.own_path:
        return []
    notes = [Notice.of(code) for applies, code in RULES if applies(source)]
    kind = source.content_type
    if kind == PLAIN:
        return [*notes, Notice.of("source-plain")]
    if kind not in FORMATS:
        return notes
    about = "nobody" if kind in NAMES_NOBODY else "heads" if kind == EML else "metadata"
    format = Notice.of(f"failure.format.{FORMATS[kind]}")
    return [*notes, Notice.of(f"source-{about}", format=format)]


def _host(source: Source) -> str:
    return (urlsplit(source.url).hostname or "").casefold().removeprefix("www.")
