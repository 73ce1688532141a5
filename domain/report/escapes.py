"""Untrusted text within Markdown."""

import re
from functools import lru_cache

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")


@lru_cache(maxsize=4_000)  # each patch of a report is told with a hash of all of it
def escape_markdown(text: str) -> str:
    """Return untrusted text on one line, without any Markdown or HTML of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
