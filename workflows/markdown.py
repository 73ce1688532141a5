"""Untrusted text within Markdown."""

import re


def escaped(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    flat = " ".join(text.split())
    return re.sub(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)", r"\\\g<0>", flat)
