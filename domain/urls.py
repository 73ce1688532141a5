"""One spelling per page, so that a page is searched, read and cited once."""

import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(
    r"utm_\w+|mc_[ce]id|_?hs(enc|mi|ctatracking)|_g[al]|igsh(id)?|vero_\w+"
    r"|(gcl|fbcl|msclk|dcl|ycl|twcl|ttcl|gbra|wbra)(id|s\w*)",
    re.IGNORECASE,
)


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


def _host(parts: SplitResult) -> str:
    name = (parts.hostname or "").rstrip(".")
    name = f"[{name}]" if ":" in name else name
    userinfo, at, _ = parts.netloc.rpartition("@")
    is_default = parts.port in {None, _DEFAULT_PORTS.get(parts.scheme.lower())}
    return f"{userinfo}{at}{name}" + ("" if is_default else f":{parts.port}")


def _is_tracking(parameter: str) -> bool:
    return bool(_TRACKING.fullmatch(parameter.partition("=")[0]))
