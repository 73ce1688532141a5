"""Word stems, by which texts are compared regardless of inflection."""

import re

MIN_WORD_CHARS = 4
"""Shorter words are mostly function words."""
_WORD = re.compile(r"\w+")


def list_stems(query: str) -> set[str]:
    """Return the stems of a text's longer words and of its numbers."""
    words = {w for w in _WORD.findall(query.casefold()) if len(w) >= MIN_WORD_CHARS or w.isdigit()}
    return {word[: max(MIN_WORD_CHARS, len(word) - 2)] for word in words}
