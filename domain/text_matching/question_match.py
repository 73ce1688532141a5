"""Comparison of two questions: the same words, or a difference that no other wording explains.

Code alone takes two questions for the same only where they hold the same words in the same order. What
else may ask the same is asked of a model, unless the two differ in what no paraphrase changes: a number,
a name, a negation, a comparison, a direction or a tense. A missed match is better than a wrong one.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise
from typing import Any

_LISTS: Any = json.loads(files(__package__).joinpath("question_words.json").read_text("utf-8"))
_WORDS: dict[str, frozenset[str]] = {n: frozenset(words.split()) for n, words in _LISTS.items()}

NUMBER_WORDS = {word: str(number) for number, word in enumerate(_LISTS["numbers"].split())}
TENSES = ("past", "present", "future")
SIGNS = frozenset("<>≤≥=±€$£¥")
TOKEN = re.compile(rf"\d[\w.,]*|[^\W\d_]+(?:\.[^\W\d_]+)+|\w+|[{''.join(SIGNS)}]")
"""A number with attached characters, a dotted acronym, a word, or a sign."""
DERIVED = re.compile(r"(?=(?:['’]?s|i?an|n|ean|ese|ish|i|er|isch\w{0,3})\Z)")
"""The start of a suffix that derives a word from a name, such as Kenyan from Kenya."""


def is_same_question(one: str, other: str) -> bool:
    """Return whether two questions have the same words in the same order, ignoring case."""
    first, second = _split(one), _split(other)
    same = [word.casefold() for word in first] == [word.casefold() for word in second]
    return bool(first) and same and _list_acronyms(first) == _list_acronyms(second)


def is_time_bound(question: str) -> bool:
    """Return whether a question has another answer on another day."""
    words = {word.casefold() for word in _split(question)}
    return not _WORDS["time_bound"].isdisjoint(words)


def may_be_about(question: str, name: str, subjects: str) -> bool:
    """Return whether a question may be about something: it has its whole name, or half (at most three) of its words.

    Capitalized names do not count among the words, because many questions are about the same country.
    """
    words = _split(question)
    asked, named, told = map(_list_bases, (words, _split(name), _split(subjects)))
    common = [word for n, word in enumerate(words) if n == 0 or not word[0].isupper()]
    enough = min(3, max(2, (len(asked) + 1) // 2))
    return bool(named and named <= asked) or len(_list_bases(common) & told) >= enough


def _list_bases(words: list[str]) -> set[str]:
    """Return the words that name something, in lower case and without a plural's s."""
    bare = {word.casefold() for word in words} - _WORDS["fillers"] - _WORDS["prepositions"]
    return {word.removesuffix("s") for word in bare}


def find_difference(one: str, other: str) -> str | None:
    """Return the difference because of which one question's report cannot answer the other, or None."""
    first, second = _split(one), _split(other)
    for name, read in READERS.items():
        if read(first) != read(second):
            return name
    tenses = [_read_tenses(words) for words in (first, second)]
    if all(tenses) and tenses[0] != tenses[1]:
        return "tense"
    if _lacks_name(first, second) or _lacks_name(second, first):
        return "names"
    return _find_turn(first, second)


def _split(question: str) -> list[str]:
    text = unicodedata.normalize("NFKC", question).replace("’", "'")
    text = re.sub(r"n't\b", " not", text.replace("won't", "will not").replace("can't", "can not"))
    return [word.rstrip(".,") for word in TOKEN.findall(text)]


def _list_acronyms(words: list[str]) -> list[str]:
    return [word for word in words if len(word) > 1 and word.isupper()]


def _read_numbers(words: list[str]) -> Counter[str]:
    numbers = (NUMBER_WORDS.get(word.casefold(), word) for word in words)
    return Counter(number.casefold() for number in numbers if any(map(str.isdigit, number)))


def _read_negations(words: list[str]) -> int:
    return sum(word.casefold() in _WORDS["negation"] for word in words)


def _read_signs(words: list[str]) -> Counter[str]:
    return Counter(word for word in words if word in SIGNS)


def _read_letters(words: list[str]) -> Counter[str]:
    """Return the single letters, as in “hepatitis A”."""
    return Counter(word for word in words[1:] if len(word) == 1 and word.isupper() and word != "I")


READERS = {
    "numbers": _read_numbers,
    "negation": _read_negations,
    "signs": _read_signs,
    "letters": _read_letters,
}


def _read_tenses(words: list[str]) -> set[str]:
    return {tense for word in words for tense in TENSES if word.casefold() in _WORDS[tense]}


def _lacks_name(words: list[str], others: list[str]) -> bool:
    """Return whether the others lack a capitalized name and all words derived from it.

    Acronyms are ignored, because they may be spelled out.
    """
    if not any(word[0].isupper() for word in others[1:]):
        return False  # written without capitals
    names = {word.casefold() for word in words[1:] if word[0].isupper() and not word.isupper()}
    there = {word.casefold() for word in others}
    bases = there | {stem for word in there for stem in _list_stems(word)}
    return not all(name in bases or there & {*_list_stems(name)} for name in names)


def _list_stems(word: str) -> Iterator[str]:
    """Yield the words that a word may be derived from."""
    for found in DERIVED.finditer(word, 1):
        yield word[: found.start()]


def _find_turn(words: list[str], others: list[str]) -> str | None:
    """Return `direction` or `prepositions` if the words differ only in order or prepositions, else None."""
    mine, theirs = _read_content(words), _read_content(others)
    if Counter(mine) != Counter(theirs):
        return None
    if mine != theirs:
        return "direction"
    return "prepositions" if _read_prepositions(words) != _read_prepositions(others) else None


def _read_content(words: list[str]) -> list[str]:
    """Return the words that mean something by themselves, but numbers."""
    aside = _WORDS["fillers"] | _WORDS["prepositions"]
    content = (word.casefold() for word in words)
    return [word for word in content if word not in aside and not word[0].isdigit()]


def _read_prepositions(words: list[str]) -> Counter[tuple[str, str]]:
    """Count each preposition with the word that follows it."""
    kept = [word for word in map(str.casefold, words) if word not in _WORDS["fillers"]]
    return Counter((a, b) for a, b in pairwise([*kept, ""]) if a in _WORDS["prepositions"])
