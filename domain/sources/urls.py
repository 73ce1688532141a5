"""URLs in one canonical spelling, so that a page is searched, read and cited once."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from string import ascii_letters, digits
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"(?:utm|mtm|pk|piwik|matomo|vero|hsa|oly|trk|at)_\w+|mc_[ce]id|_?hs(?:enc|mi|ctatracking)|_g[al]|igsh(?:id)?"
    r"|(?:gcl|fbcl|msclk|dcl|ycl|yscl|twcl|ttcl|gbra|wbra|srslt|wicked)(?:id|s\w*)|gad_(?:source|campaignid)|mkt_tok"
    r"|li_fat_id|_openstat|s_kwcid|ef_id|epik|rdt_cid|dm_i|guccounter|guce_referrer(?:_sig)?|ref_(?:src|url)"
    r"|_branch_match_id|__twitter_impression|fb_(?:action_ids|action_types|source|ref)",
    re.IGNORECASE,
)
_REFERRING = re.compile(
    r"ref(?:errer)?=(?:twitter|facebook|linkedin|reddit|hn|hackernews|producthunt|newsletter|e?mail|rss|feed|share"
    r"|social|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|co|dev|news|app))",
    re.IGNORECASE,
)
"""`ref` with a site or a channel as value; other values may be a branch or an article number."""
_AMP = re.compile(r"&(?:amp;)+", re.IGNORECASE)
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNSAFE = re.compile(r"[^!#-;=?-Z_a-z~\[\]]")
"""Characters that an address must escape: spaces, quotes, and everything outside ASCII."""
_UNRESERVED = frozenset(ascii_letters + digits + "-._~")
_STOPS = str.maketrans("。．｡", "...")
_MAX_LABEL_CHARS = 63
_NO_HOST = frozenset("/?#@:%\\[]<> ")


_URL_DELIMITERS = re.compile(r"[\s<>\"'\[\]{}|\\^`，。、；：！？（）「」]+")
_PARENTHESIS, _PATH = re.compile(r"[()]"), re.compile(r"(?<![:/])/")
_HOME = re.compile(r"/?|/(?:index|home|default)(?:\.\w{1,5})?/?", re.IGNORECASE)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
MAX_NAMED_URLS = 100
_LETTERS = re.compile(r"[^\W\d_]+")
MAX_NAME_CHARS = 100


def canonicalize_url(url: str) -> str:
    """Return the one normal form of a URL (RFC 3986, 6.2), without fragment, default port or tracking.

    The host is in small letters and ASCII (IDNA); escapes are in capitals and only where they are needed.
    A malformed URL is returned unchanged: the fetch guard explains why it cannot be read.
    """
    try:
        parts = urlsplit(_AMP.sub("&", url.strip()))
        host = _normalize_host(parts)
    except ValueError:
        return url
    if not host:
        return url
    path = _remove_dots(_normalize_escapes(parts.path)) or "/"
    return urlunsplit((parts.scheme.lower(), host, path, _normalize_query(parts.query), ""))


def _normalize_query(query: str) -> str:
    """Return a query's parameters in their order, without those that only track."""
    pairs = filter(None, map(_normalize_escapes, query.split("&")))
    kept = (pair for pair in pairs if not _TRACKING.fullmatch(pair.partition("=")[0]))
    return "&".join(pair for pair in kept if not _REFERRING.fullmatch(pair))


def _normalize_escapes(part: str) -> str:
    """Return a path or a parameter with escapes where they are needed; one with a broken escape keeps them."""
    if not _BROKEN_ESCAPE.search(part):
        part = _ESCAPED.sub(_normalize_escape, part)
    return _UNSAFE.sub(lambda found: quote(found[0], safe="%", errors="replace"), part)


def _normalize_escape(found: re.Match[str]) -> str:
    char = chr(int(found[1], 16))
    return char if char in _UNRESERVED else found[0].upper()


def _remove_dots(path: str) -> str:
    """Return a path without the segments `.` and `..` (RFC 3986, 5.2.4)."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            kept[1:] = kept[1:-1]
        elif segment != ".":
            kept.append(segment)
    return "/".join(kept) + ("/" if segments[-1] in {".", ".."} else "")


def compute_url_key(url: str) -> str:
    """Return one key for all spellings of an address: with or without scheme, `www.`, final `/`."""
    return canonicalize_url(url).partition("://")[2].removeprefix("www.").rstrip("/")


def name_page(url: str) -> str:
    """Return the words of a URL's path, or its host, as a search query for the page."""
    host, _, path = re.split(r"[?#]", url)[0].rpartition("://")[2].partition("/")
    return (" ".join(_LETTERS.findall(unquote(path))) or host)[:MAX_NAME_CHARS]


def leads_home(url: str, found: str) -> bool:
    """Return whether a URL redirected to a site's home page, as many sites do instead of a 404."""
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
    """Yield the words of a text without the signs around them; a path keeps the parentheses that it closes."""
    for run in _URL_DELIMITERS.split(text):
        for word in _split_parentheses(run) if "(" in run or ")" in run else (run,):
            yield word.rstrip(".,;:!?*_")


def _split_parentheses(run: str) -> Iterator[str]:
    """Yield the pieces between parentheses that are no part of a path: unpaired ones, and those around words."""
    signs = [found.start() for found in _PARENTHESIS.finditer(run)]
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for at in signs:
        if run[at] == "(":
            opened.append(at)
        elif opened:
            pairs[opened.pop()] = at
    start, path, kept = 0, -1, set[int]()
    for at in signs:
        if path < start:
            slash = _PATH.search(run, start)
            path = slash.start() if slash else len(run)
        if at in pairs and path < at and not _SCHEME.match(run, at + 1):
            kept.add(pairs[at])
        elif at not in kept:
            if start < at:
                yield run[start:at]
            start = at + 1
    yield run[start:]


def _add_scheme(word: str) -> Iterator[str]:
    top_level = word.partition("/")[0].rpartition(".")[2]
    if "." in word.strip(".") and len(top_level) > 1 and top_level.isalpha():
        yield canonicalize_url(f"https://{word}")


def _normalize_host(parts: SplitResult) -> str:
    name = (parts.hostname or "").rstrip(".")
    name = f"[{name}]" if ":" in name else _encode_host(name)
    userinfo, at, _ = parts.netloc.rpartition("@")
    is_default = parts.port in {None, _DEFAULT_PORTS.get(parts.scheme.lower())}
    return f"{userinfo}{at}{name}" + ("" if is_default else f":{parts.port}")


def _encode_host(name: str) -> str:
    """Encode a host name in ASCII for DNS (IDNA 2008).

    Raises:
        ValueError: The name is malformed.
    """
    if "%" in name:
        name = unquote(name)
    if name.isascii() and _NO_HOST.isdisjoint(name):
        return name
    labels = unicodedata.normalize("NFKC", name.translate(_STOPS)).lower().rstrip(".").split(".")
    if any(len(label) > _MAX_LABEL_CHARS for label in labels) or not _NO_HOST.isdisjoint(name):
        raise ValueError("the host is malformed")
    return ".".join(
        label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels
    )
