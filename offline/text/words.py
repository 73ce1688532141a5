"""Words of a text, and one-line excerpts of it."""

import re
from collections.abc import Iterable
from importlib.resources import files

WORD = re.compile(r"\w+(?:[.\-]\w+)*")
"""A word, a number, or an identifier such as `max_connections`, kept whole."""
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
"""Scripts without spaces between words; pairs of their characters serve as words."""
SHORT_CHARS = 3
"""Shorter words are search terms only if they are acronyms, numbers or of an unspaced script."""
STOP_WORDS = frozenset(files(__package__).joinpath("stop_words.txt").read_text("utf-8").split())
"""Long words without content, in the page's languages."""


def split_words(text: str) -> list[str]:
    """Return the words of a text as written; of unspaced scripts, the pairs of characters."""
    found: list[str] = []
    for word in WORD.findall(text):
        is_run = UNSPACED.search(word)
        found += [word[at : at + 2] for at in range(max(1, len(word) - 1))] if is_run else [word]
    return found


def list_terms(text: str) -> list[str]:
    """Return the search terms of a text, each once, in order: acronyms, numbers and longer words."""
    found = {word.casefold(): word for word in reversed(split_words(text)) if is_term(word)}
    return [*reversed(found.values())]


def is_term(word: str) -> bool:
    """Return whether a word is long or specific enough to be searched for."""
    is_acronym = len(word) > 1 and word.isupper()
    has_digit = any(map(str.isdigit, word))
    is_long = len(word) > SHORT_CHARS and word.casefold() not in STOP_WORDS
    return is_long or is_acronym or has_digit or bool(UNSPACED.search(word))


def count_shared(terms: Iterable[str], text: str) -> int:
    """Return how many terms occur in a text, regardless of case."""
    folded = text.casefold()
    return sum(term.casefold() in folded for term in terms)


def space_out(text: str) -> str:
    """Return a text with spaces between the characters of unspaced scripts, as FTS5 needs them."""
    return UNSPACED.sub(lambda run: f" {' '.join(run[0])} ", text).strip()


def clip(text: str, limit: int) -> str:
    """Return a text on one line, cut at a word if it is too long."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"
