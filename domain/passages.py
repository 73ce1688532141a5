"""The passage of a text that bears most on a query, by the words that both have."""

import re

from domain.evidence.normal_forms import normalize

MIN_WORD_CHARS = 4
"""Shorter words are mostly those that stand in every text."""
PASSAGE_CHARS = 400
MAX_WHOLE_CHARS = 45_000
"""Characters of the pages that the check of what was not found shows whole, the shortest first."""
_WORD = re.compile(r"\w+")


def find_passage(text: str, query: str) -> tuple[str, int]:
    """Return the line that shares most words with a query, and how many the whole text shares.

    Words count by their beginnings, so that endings make no difference.
    """
    folded = text.casefold()
    shared = {stem for stem in list_stems(query) if stem in folded}
    lines = [line for line in text.splitlines() if line.strip()]
    best = max(lines, key=lambda line: _count(shared, line.casefold()), default="")
    return normalize(best[: 2 * PASSAGE_CHARS])[:PASSAGE_CHARS], len(shared)


def list_stems(query: str) -> set[str]:
    """Return the beginnings of a text's longer words, by which they are found whatever their endings."""
    words = {w for w in _WORD.findall(query.casefold()) if len(w) >= MIN_WORD_CHARS or w.isdigit()}
    return {word[: max(MIN_WORD_CHARS, len(word) - 2)] for word in words}


def _count(stems: set[str], line: str) -> int:
    return sum(stem in line for stem in stems)
