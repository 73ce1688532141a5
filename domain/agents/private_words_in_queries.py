"""Detection of search queries that would disclose words of the user's own documents."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from domain.text_matching.word_stems import list_stems

MIN_RUN_WORDS, MIN_RUN_CHARS = 3, 12
"""Shorter runs of words or characters are too common to count as a leak; wide characters count twice."""
MAX_SCATTERED = 6
"""A query that has this many words of a passage, in any order, discloses it."""
_PART = 2_000
"""Words of a long text count only if they are within two windows of this many characters."""
_WORDS = re.compile(
    r"[\u2e80-\ud7ff\uf900-\ufaff]|[^\s\"'“”‘’„«»()\[\]{}<>|;:!?\u2e80-\ud7ff\uf900-\ufaff]+"
)
_EDGES = ".,-–—*_/#%$€£¥"
_YEAR = re.compile(r"(?:19|20)\d\d")
MIN_FIGURE_CHARS, MIN_IDENTIFIER_CHARS = 5, 6


def find_disclosed_words(
    query: str, approved: Sequence[str], documents: Sequence[str]
) -> list[str]:
    """Return what a query discloses: text of the documents that no approved text contains.

    That is a figure or an identifier, a run of words, or many single words.
    """
    words = _split(query)
    known = {*_split("\n".join(approved))}
    texts = [f" {' '.join(_split(document))} " for document in documents]
    parts = [text[at : at + 2 * _PART] for text in texts for at in range(0, len(text), _PART)]

    def is_told(part: Sequence[str]) -> bool:
        return any(f" {' '.join(part)} " in text for text in texts)

    single = [word for word in words if word not in known and _is_telling(word) and is_told([word])]
    runs = (run for run in _list_runs(words) if not known.issuperset(run) and is_told(run))
    stems = list_stems(query) - list_stems("\n".join(approved))
    scattered = [[stem for stem in sorted(stems) if f" {stem}" in part] for part in parts]
    found = single or [" ".join(run) for run in runs]
    return found or next((each for each in scattered if len(each) >= MAX_SCATTERED), [])


def _split(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = (word.strip(_EDGES) for word in _WORDS.findall(folded))
    return [word for word in words if word]


def _is_telling(word: str) -> bool:
    """Return whether a word is a figure or an identifier rather than one of the language."""
    if _YEAR.fullmatch(word):
        return False
    is_figure = word.strip("0123456789.,") == ""
    is_exact = not word.isdecimal() or len(word) >= MIN_FIGURE_CHARS
    has_both = any(map(str.isdecimal, word)) and any(map(str.isalpha, word))
    is_identifier = "@" in word or (has_both and len(word) >= MIN_IDENTIFIER_CHARS)
    return (is_figure and is_exact) or is_identifier


def _list_runs(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the shortest run from each word on that is long enough to be somebody's words."""
    for start in range(len(words)):
        chars = 0
        for end in range(start, len(words)):
            chars += sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in words[end])
            if end - start + 1 >= MIN_RUN_WORDS and chars >= MIN_RUN_CHARS:
                yield list(words[start : end + 1])
                break
