"""Spelling suggestions for unknown names."""

from collections.abc import Collection
from difflib import get_close_matches

from contracts.notices import Notice


def suggest(word: str, known: Collection[str]) -> Notice:
    """Return the nearest known word as a question, or else all that there are."""
    near = get_close_matches(word, known, 1)
    if near:
        return Notice.of("did-you-mean", near=near[0])
    return Notice.of("there-are", known=list(known))
