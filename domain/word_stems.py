"""The beginnings of words, by which texts are compared whatever their endings."""

import re

MIN_WORD_CHARS = 4
"""Shorter words are mostly those that stand in every text."""
_WORD = re.compile(r"\w+")


def list_stems(query: str) -> set[str]:
    """Return the beginnings of a text's longer words, by which they are found whatever their endings."""
    words = {w for w in _WORD.findall(query.casefold()) if len(w) >= MIN_WORD_CHARS or w.isdigit()}
    return {word[: max(MIN_WORD_CHARS, len(word) - 2)] for word in words}
