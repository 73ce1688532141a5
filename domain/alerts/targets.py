"""Validation of channels' addresses by their form; the sender also checks what a host resolves to."""

import re
from urllib.parse import SplitResult, urlsplit

from contracts.alerts import ChannelKind
from contracts.notices import Notice
from domain.alerts.payloads import split_topic

MAIL_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]\\]{1,64}@[A-Za-z0-9.-]{1,250}")


def find_fault(kind: ChannelKind, target: str) -> Notice | None:
    """Return why alerts cannot be sent to an address, or None."""
    if kind == "email":
        is_address = MAIL_ADDRESS.fullmatch(target)
        return None if is_address else Notice.of("target-no-mail-address")
    parts = _split(target)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        return Notice.of("url-scheme", url=target[:200])
    if "@" in parts.netloc:
        return Notice.of("url-user", host=parts.hostname)
    if kind == "ntfy" and not split_topic(target)[1]:
        return Notice.of("target-no-topic")
    return None


def _split(url: str) -> SplitResult | None:
    """Split a URL; return None if it is malformed or its port is out of range."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises
    except ValueError:
        return None
    return parts
