"""Untrusted text within Markdown."""

import re

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


def escaped(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
