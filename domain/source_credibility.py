"""What code can say of a source's credibility: small rules over what its page states."""

import re
import unicodedata
from collections.abc import Callable
from urllib.parse import urlsplit

from contracts.evidence.sources import Source
from contracts.media_types import DOCX, PDF

USERS_WRITE_AT = (
    *("wikipedia.org", "wikimedia.org", "fandom.com", "wikihow.com", "reddit.com", "quora.com"),
    *("stackexchange.com", "stackoverflow.com", "medium.com", "substack.com", "blogspot.com"),
    *("wordpress.com", "tumblr.com", "livejournal.com", "facebook.com", "instagram.com"),
    *("tiktok.com", "x.com", "twitter.com", "linkedin.com", "pinterest.com", "youtube.com"),
    *("tripadvisor.com", "yelp.com", "trustpilot.com", "github.io", "news.ycombinator.com"),
)
"""Hosts, and all below them, where whoever signs up may write."""
OPEN_LABELS = frozenset(["forum", "forums", "community", "wiki", "answers", "discuss", "blogs"])
OPEN_FOLDERS = frozenset(["forum", "forums", "wiki", "thread", "threads", "comments"])
"""Parts of a host's name, and of a path, that say the same."""
SAYS_LITTLE: dict[str, str] = {
    "text/plain": "plain text: it does not say whose it is",
    "text/csv": "a table of values: it does not say whose it is",
    PDF: "a PDF: author and date are what its file says",
    DOCX: "a Word document: author and date are what its file says",
}
LITTLE_TEXT_CHARS = 300
OWN_HOSTS = re.compile(r"localhost|[0-9.]+|\[?[0-9a-f:]*:[0-9a-f:]*\]?")
"""This machine, and addresses without a name: nothing can be told from these."""
SMALL_WORDS = frozenset(
    ["and", "for", "inc", "llc", "ltd", "news", "of", "online", "the", "press", "group"]
)


def _is_undated(source: Source) -> bool:
    return not source.published


def _is_ahead(source: Source) -> bool:
    return (source.published or "")[:10] > source.retrieved_at[:10]


def _is_unsigned(source: Source) -> bool:
    return not source.author and (not source.publisher or _is_its_address(source))


def _is_its_address(source: Source) -> bool:
    """Tell whether the host's name stands where a page names no publisher."""
    named = source.publisher.casefold().removeprefix("www.")
    return named in {_host(source), urlsplit(source.url).netloc.casefold().removeprefix("www.")}


def _is_open_to_all(source: Source) -> bool:
    host, path = _host(source), urlsplit(source.url).path.casefold()
    if any(host == known or host.endswith(f".{known}") for known in USERS_WRITE_AT):
        return True
    return bool(OPEN_LABELS & {*host.split(".")[:-2]} or OPEN_FOLDERS & {*path.split("/")})


def _is_in_the_open(source: Source) -> bool:
    return source.url.startswith("http:") and not OWN_HOSTS.fullmatch(_host(source))


def _is_at_anothers(source: Source) -> bool:
    """Tell whether no word of the publisher's name, nor its initials, is in the address."""
    host = _host(source)
    words = re.findall(r"[a-z0-9]+", _plain(source.publisher))
    if not words or OWN_HOSTS.fullmatch(host):
        return False
    telling = [word for word in words if len(word) > 2 and word not in SMALL_WORDS]
    if any(word in host.replace("-", "") for word in telling):
        return False
    initials = {"".join(w[0] for w in words), "".join(w[0] for w in telling), "".join(words)}
    labels = [label for label in host.split(".")[:-1] if len(label) > 1]
    return not any(i.startswith(label) or label in i for label in labels for i in initials if i)


def _is_short(source: Source) -> bool:
    return source.chars < LITTLE_TEXT_CHARS


RULES: tuple[tuple[Callable[[Source], bool], str], ...] = (
    (_is_undated, "states no date"),
    (_is_ahead, "dated after the day it was read"),
    (_is_unsigned, "names neither author nor publisher"),
    (_is_at_anothers, "its address does not show the publisher it names"),
    (_is_open_to_all, "written by users of the site"),
    (_is_in_the_open, "came without encryption"),
    (_is_short, "little of it could be read"),
)


def notes_on(source: Source) -> list[str]:
    """Return what a reader should know before trusting a source, in the rules' order."""
    told = [note for holds, note in RULES if holds(source)]
    kind = SAYS_LITTLE.get(source.content_type)
    return [*told, kind] if kind else told


def _plain(text: str) -> str:
    """Return a text in small letters without accents; other scripts fall out."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()


def _host(source: Source) -> str:
    return (urlsplit(source.url).hostname or "").casefold().removeprefix("www.")
