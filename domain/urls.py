"""URLs in one canonical spelling, so that a page is searched, read and cited once."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import SplitResult, urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"utm_\w+|mc_[ce]id|_?hs(enc|mi|ctatracking)|_g[al]|igsh(id)?|vero_\w+"
    r"|(gcl|fbcl|msclk|dcl|ycl|twcl|ttcl|gbra|wbra)(id|s\w*)",
    re.IGNORECASE,
)


_URL_DELIMITERS = re.compile(r"[\s<>\"'()\[\]{}|\\^`，。、；：！？（）「」]+")
_HOME = re.compile(r"/?|/(?:index|home|default)(?:\.\w{1,5})?/?", re.IGNORECASE)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
MAX_NAMED_URLS = 100


def canonicalize_url(url: str) -> str:
    """Return the URL with a lower-case host and no fragment, default port or tracking.

    A malformed one is returned unchanged: the fetch guard explains why it cannot be read.
    """
    try:
        parts = urlsplit(url.strip())
        host = _normalize_host(parts)
    except ValueError:
        return url
    if not host:
        return url
    query = "&".join(
        p for p in parts.query.split("&") if not _TRACKING.fullmatch(p.partition("=")[0])
    )
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", query, ""))


def compute_url_key(url: str) -> str:
    """Return one key for all spellings of an address: with or without scheme, `www.`, final `/`."""
    return canonicalize_url(url).partition("://")[2].removeprefix("www.").rstrip("/")


def leads_home(url: str, found: str) -> bool:
    """Tell whether a page's address led to the home page of a site, as many do in place of a 404."""
    asked, got = (urlsplit(canonicalize_url(each)) for each in (url, found))
    return _is_home(got) and not _is_home(asked)


def _is_home(parts: SplitResult) -> bool:
    return bool(_HOME.fullmatch(parts.path)) and not parts.query


def find_urls(text: str) -> Iterator[str]:
    """Yield the URLs with a scheme that a text contains, in linear time."""
    for word in _split_words(text):
        if scheme := _SCHEME.search(word):
            yield canonicalize_url(word[scheme.start() :])


def find_named_urls(texts: Iterable[str]) -> list[str]:
    """Return the first 100 URLs in what humans wrote, also those without a scheme."""
    named: dict[str, None] = {}
    for word in (word for text in texts for word in _split_words(text)):
        named.update(dict.fromkeys(find_urls(word) if "://" in word else _add_scheme(word)))
        if len(named) >= MAX_NAMED_URLS:
            break
    return list(named)[:MAX_NAMED_URLS]


def _split_words(text: str) -> Iterator[str]:
    return (word.rstrip(".,;:!?*_") for word in _URL_DELIMITERS.split(text))


def _add_scheme(word: str) -> Iterator[str]:
    top_level = word.partition("/")[0].rpartition(".")[2]
    if "." in word.strip(".") and len(top_level) > 1 and top_level.isalpha():
        yield canonicalize_url(f"https://{word}")


def _normalize_host(parts: SplitResult) -> str:
    name = (parts.hostname or "").rstrip(".")
    name = f"[{name}]" if ":" in name else name
    userinfo, at, _ = parts.netloc.rpartition("@")
    is_default = parts.port in {None, _DEFAULT_PORTS.get(parts.scheme.lower())}
    return f"{userinfo}{at}{name}" + ("" if is_default else f":{parts.port}")
