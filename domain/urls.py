"""One spelling per page, so that a page is searched, read and cited once."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import SplitResult, urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"utm_\w+|mc_[ce]id|_?hs(enc|mi|ctatracking)|_g[al]|igsh(id)?|vero_\w+"
    r"|(gcl|fbcl|msclk|dcl|ycl|twcl|ttcl|gbra|wbra)(id|s\w*)",
    re.IGNORECASE,
)


_BETWEEN_URLS = re.compile(r"[\s<>\"'()\[\]{}|\\^`，。、；：！？（）「」]+")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
MAX_NAMED_URLS = 100


def canonical(url: str) -> str:
    """Return the URL with a lower-case host and no fragment, default port or tracking.

    What is not a URL comes back as it is: the fetch guard says why it cannot be read.
    """
    try:
        parts = urlsplit(url.strip())
        host = _host(parts)
    except ValueError:
        return url
    if not host:
        return url
    query = "&".join(p for p in parts.query.split("&") if not _is_tracking(p))
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", query, ""))


def page_key(url: str) -> str:
    """Return the same key for the spellings of one address: with or without scheme, `www.`, last `/`."""
    return canonical(url).partition("://")[2].removeprefix("www.").rstrip("/")


def urls_in(text: str) -> Iterator[str]:
    """Yield the addresses with a scheme that stand in a text; takes linear time."""
    for word in _words(text):
        if scheme := _SCHEME.search(word):
            yield canonical(word[scheme.start() :])


def named_urls(texts: Iterable[str]) -> list[str]:
    """Return the addresses that humans wrote in texts, also without a scheme: the first 100."""
    named: dict[str, None] = {}
    for word in (word for text in texts for word in _words(text)):
        named.update(dict.fromkeys(urls_in(word) if "://" in word else _without_scheme(word)))
        if len(named) >= MAX_NAMED_URLS:
            break
    return list(named)[:MAX_NAMED_URLS]


def _words(text: str) -> Iterator[str]:
    return (word.rstrip(".,;:!?*_") for word in _BETWEEN_URLS.split(text))


def _without_scheme(word: str) -> Iterator[str]:
    top_level = word.partition("/")[0].rpartition(".")[2]
    if "." in word.strip(".") and len(top_level) > 1 and top_level.isalpha():
        yield canonical(f"https://{word}")


def _host(parts: SplitResult) -> str:
    name = (parts.hostname or "").rstrip(".")
    name = f"[{name}]" if ":" in name else name
    userinfo, at, _ = parts.netloc.rpartition("@")
    is_default = parts.port in {None, _DEFAULT_PORTS.get(parts.scheme.lower())}
    return f"{userinfo}{at}{name}" + ("" if is_default else f":{parts.port}")


def _is_tracking(parameter: str) -> bool:
    return bool(_TRACKING.fullmatch(parameter.partition("=")[0]))
