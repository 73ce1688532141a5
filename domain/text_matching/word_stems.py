"""Word stems, by which texts are compared regardless of inflection."""

import re

MIN_WORD_CHARS = 4
"""Shorter words are mostly function words."""
_WORD = re.compile(r"\w+")
_PLURAL_OF_Y = re.compile(r"ies$")
"""“Economies” and “economy” would differ by more than their last two letters."""


def list_stems(query: str) -> set[str]:
    """Return the stems of a text's longer words and of its numbers."""
    words = {w for w in _WORD.findall(query.casefold()) if len(w) >= MIN_WORD_CHARS or w.isdigit()}
    singular = (_PLURAL_OF_Y.sub("y", word) for word in words)
    return {word[: max(MIN_WORD_CHARS, len(word) - 2)] for word in singular}
