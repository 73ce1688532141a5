"""Suggestions for a word that names nothing."""

from collections.abc import Collection
from difflib import get_close_matches


def suggest(word: str, known: Collection[str]) -> str:
    """Return the nearest known word as a question, or else all that there are."""
    near = get_close_matches(word, known, 1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
