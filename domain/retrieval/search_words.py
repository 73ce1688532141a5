"""The terms by which texts and queries are matched, in any language."""

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any

RELATED_WEIGHT = 0.5
"""Weight of a term added by the thesaurus, relative to the query's own terms."""
MAX_QUERY_TERMS = 200
MAX_TERM_CHARS = 60
"""A longer word is several terms."""

_LISTS: Any = json.loads(files(__package__).joinpath("query_words.json").read_text("utf-8"))
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Scripts without spaces between words, and Korean, whose particles are attached to words."""
_VOWEL_SIGNS = "\u064b-\u0652\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0980-\u0dff"
"""Marks inside words of Arabic and Indic scripts, which `\\w` does not match."""
_LETTER = rf"[^\W_{_UNSPACED}]"
_WORD = re.compile(
    r"[a-z]{3,60}+(?![^\s.,;:()])"  # most words, found by this alone in half the time
    rf"|[{_UNSPACED}]{{1,{MAX_TERM_CHARS}}}"
    r"|\d{1,3}-[a-z](?![\w-])"  # 10-K
    rf"|\d[\d.,]{{0,{MAX_TERM_CHARS}}}\d(?!{_LETTER})"
    r"|[a-z]{1,2}&[a-z]{1,2}(?!\w)"  # R&D, AT&T
    rf"|(?:{_LETTER}|[{_VOWEL_SIGNS}]){{1,{MAX_TERM_CHARS}}}"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PLAIN = re.compile("[\x00-\x7f\xa0-\xa9\xab-\xb1\u2000-\u206f\u20a0-\u20cf\u25a0-\u25ff]*")
"""Characters that have no accents and no other form."""
_ACCENTS = re.compile("[\u0300-\u036f]+")
_GROUPING = re.compile(r"[.,](?=\d{3}(?!\d))")
_YEAR_PARTS = re.compile(r"(?:19|20)\d\d|(?:(?!(?:19|20)\d\d).)+")
_ENDING = re.compile(r"(.{4,60}?)(?:en|[aeiouy]{0,4}(?<!s)s|[aeiouy]{1,4})")
_SIBILANT_PLURAL = re.compile(r"(.{2,60}(?:[sxz]|[cs]h))es")
_CASE_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FILE_SUFFIX = re.compile(r"\.[A-Za-z]{2,5}$")
_NAME_MARKS = re.compile(r"[_\-./\\ ]+")


@dataclass(frozen=True)
class Query:
    """The terms of a query with their weights: 1 for its own, less for those from the thesaurus."""

    text: str
    terms: Mapping[str, float]


def list_terms(text: str) -> list[str]:
    """Return every term of a text in order, stop words included.

    A term is a word without its inflection, a number without grouping marks, or two neighbouring
    characters of a script that is written without spaces.
    """
    return [
        term
        for word in _fold(text).split()
        for term in (_split_spaced if len(word) <= MAX_TERM_CHARS else _split_long)(word)
    ]


def split_name(name: str) -> str:
    """Return a file's name as words: `BESTBUY_2023_10K.pdf` becomes `BESTBUY 2023 10K`."""
    bare = _FILE_SUFFIX.sub("", name)
    return _NAME_MARKS.sub(" ", _CASE_CHANGE.sub(" ", bare)).strip()


def parse_query(text: str) -> Query:
    """Return the terms of a query without stop words, and the related terms of the thesaurus.

    A query of stop words alone keeps them.
    """
    words = list_terms(text)
    stops = _list_stop_terms(words)
    own = [term for term in words if term not in stops and not _is_letter(term)]
    terms = dict.fromkeys(own or words, 1.0)
    for term in _list_related(words):
        if term not in _list_all_stop_terms() and not _is_letter(term):
            terms.setdefault(term, RELATED_WEIGHT)
    return Query(text=text, terms=dict(list(terms.items())[:MAX_QUERY_TERMS]))


def is_stop_word(word: str) -> bool:
    """Return whether all of a word's terms are stop words of some language."""
    return all(term in _list_all_stop_terms() or _is_letter(term) for term in list_terms(word))


def make_tsquery(terms: Iterable[str]) -> str:
    """Return a PostgreSQL tsquery that matches any of the terms.

    It matches a tsvector that was made from `list_terms`, as by `array_to_tsvector`.
    """
    quoted = (term.replace("\\", "\\\\").replace("'", "''") for term in terms)
    return " | ".join(f"'{term}'" for term in quoted)


def _fold(text: str) -> str:
    """Return a text in lower case without accents."""
    low = text.casefold()
    if _PLAIN.fullmatch(low):
        return low
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", low)))


def _split_long(text: str) -> tuple[str, ...]:
    """Return the index terms of one whitespace-delimited word."""
    return tuple(chain.from_iterable(map(_split_word, _WORD.findall(text))))


_split_spaced = lru_cache(maxsize=131_072)(_split_long)
"""The same of a short one, which most texts repeat."""


def _split_word(word: str) -> tuple[str, ...]:
    if _IS_UNSPACED.match(word):
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    if word.isalpha():
        return (_stem(word),)
    if word.isdigit():
        return (word,)
    if not word.isalnum():
        bare = _GROUPING.sub("", word)
        return (bare.replace("&", "").replace("-", ""),)
    return tuple(_stem(part) for part in _YEAR_PARTS.findall(word))


def _stem(word: str) -> str:
    """Return a word without the endings of number, case and gender that European languages share."""
    if len(word) <= 3 or not word.isalpha():
        return word
    found = _SIBILANT_PLURAL.fullmatch(word) or _ENDING.fullmatch(word)
    return found[1] if found else word


def _is_letter(term: str) -> bool:
    return len(term) == 1 and term.isascii() and term.isalpha()


@cache
def _load_stop_terms() -> dict[str, frozenset[str]]:
    """Return each language's stop words as terms."""
    return {name: frozenset(list_terms(words)) for name, words in _LISTS["stop_words"].items()}


@cache
def _load_reporting_terms() -> frozenset[str]:
    """Return terms that nearly every page of a report has."""
    return frozenset(list_terms(_LISTS["reporting_words"]))


@cache
def _list_all_stop_terms() -> frozenset[str]:
    return _load_reporting_terms().union(*_load_stop_terms().values())


def _list_stop_terms(words: Collection[str]) -> frozenset[str]:
    """Return the stop terms of the languages that match most of a query's words."""
    known = _load_stop_terms()
    counts = {name: sum(word in stops for word in words) for name, stops in known.items()}
    most = max(counts.values())
    chosen = [known[name] for name, count in counts.items() if most and count == most]
    return _load_reporting_terms().union(*chosen)


Phrase = tuple[str, ...]


@cache
def _load_thesaurus() -> list[tuple[list[Phrase], list[Phrase]]]:
    """Return phrases, each list with the phrases that it adds to a query."""
    computed = [
        (_read_phrases(entry["measures"]), _read_phrases(entry["lines"]))
        for entry in _LISTS["computed"]
    ]
    same = [(phrases, phrases) for phrases in map(_read_phrases, _LISTS["same"])]
    return [*computed, *same]


def _read_phrases(texts: Iterable[str]) -> list[Phrase]:
    return [_join_phrase(list_terms(text)) for text in texts]


def _join_phrase(words: Iterable[str]) -> Phrase:
    """Return the words of a phrase without optional filler words."""
    return tuple(word for word in words if word not in {"of", "and", "the", "from", "for", "und"})


def _list_related(words: Sequence[str]) -> Iterator[str]:
    said = f" {' '.join(_join_phrase(words))} "
    for phrases, added in _load_thesaurus():
        if any(f" {' '.join(phrase)} " in said for phrase in phrases):
            for phrase in added:
                yield from phrase
