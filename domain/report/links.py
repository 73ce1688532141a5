"""Links that a report may hold: to the web, to write a mail, and to what its own run keeps; never another image."""

import re
from html import unescape

_WEB = re.compile(r"https?://[^\s/<>\\\x00-\x1f\x7f][^\s<>\\\x00-\x1f\x7f]*", re.IGNORECASE)
_MAIL = re.compile(r"mailto:[^\s<>\\\x00-\x1f\x7f]+", re.IGNORECASE)
_KEPT = re.compile(r"artifacts/[\w-]+(?:#page=\d{1,6})?|sources/\d{1,6}/snapshot", re.ASCII)
_CHART = re.compile(r"artifacts/[\w-]+", re.ASCII)

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|\w{1,40});", re.ASCII | re.IGNORECASE)


def _look_at_target(name: str) -> str:
    """Return a pattern that reads the beginning of a link's destination, which tells where it leads."""
    return (
        rf"(?=(?:<(?P<{name}_in>(?:\\.|[^<>\\\n]){{0,200}})"
        rf"|(?P<{name}>(?:\\.|[^\s<>\\()]|\([^\s()<>\\]{{0,200}}\)){{0,200}})))"
    )


_RISK = re.compile(
    r"\\."  # an escaped character, which stays
    r"|(?P<chart>!\[(?:\\.|[^\[\]\\]){0,1000}\]\(artifacts/[\w-]+\))"
    r"|(?P<image>!\[)"
    rf"|(?P<link>\]\(\s*{_look_at_target('to')})"
    rf"|(?P<named>\]:[\s>]*{_look_at_target('at')})"
    r"|(?P<auto><[a-zA-Z][^\s<>]*>)"
    r"|(?P<tag><(?=[a-zA-Z/!?]))"
    r"|(?P<xmpp>xmpp:)",  # which GitHub links without brackets
    re.DOTALL | re.IGNORECASE,
)
"""What could begin a link, an image or a tag in Markdown."""


def is_allowed(address: str) -> bool:
    """Tell whether a report may link to an address; one without a scheme must be the run's own."""
    return any(form.fullmatch(address) for form in (_WEB, _MAIL, _KEPT))


def is_kept(address: str) -> bool:
    """Tell whether an address is that of something the run keeps, below its own."""
    return _KEPT.fullmatch(address) is not None


def is_chart(address: str) -> bool:
    """Tell whether an image is one that the run keeps."""
    return _CHART.fullmatch(address) is not None


def disarm_markdown(text: str) -> str:
    """Return foreign Markdown in which each link, image and tag that is not allowed is plain text."""
    return _RISK.sub(_disarm, text.replace("\r\n", "\n").replace("\r", "\n"))


def _disarm(found: re.Match[str]) -> str:
    whole, kind = found[0], found.lastgroup
    if kind in {None, "chart"}:
        return whole
    if kind == "image":
        return r"!\["
    if kind == "xmpp":
        return rf"{whole[:-1]}\:"
    if kind in {"auto", "tag"}:
        return whole if _is_kept_autolink(whole[1:-1]) else rf"\{whole}"
    names = ("to_in", "to") if found["link"] is not None else ("at_in", "at")
    address = next((found[name] for name in names if found[name] is not None), "")
    return whole if is_allowed(_decode(address)) else rf"]\{whole[1:]}"


def _is_kept_autolink(address: str) -> bool:
    is_mail = "@" in address and ":" not in address
    return is_mail or is_allowed(address)


def _decode(address: str) -> str:
    """Return an address as a renderer reads it: without escapes, with its entities decoded."""
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", address)
    return _ENTITY.sub(lambda found: unescape(found[0]), plain)
