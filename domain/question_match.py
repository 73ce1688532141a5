"""Comparison of two questions, apart from their wording.

Vectors of questions that differ in a year, a place or a "not" are closer than those of many a
paraphrase. So two questions match only if their content words are the same in the same order, once
the words that merely ask are removed: every number, name, place, date, negation, direction and
comparison is a content word. A missed match is better than a wrong one.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

_LISTS: Any = json.loads(files(__package__).joinpath("question_words.json").read_text("utf-8"))

STOP_WORDS = frozenset(_LISTS["without_content"].split())
"""Words without content; `was` and `will` are not among them."""
AUXILIARIES = frozenset(_LISTS["auxiliaries"].split())
"""First words of a question that is answered by yes or no."""
SYNONYMS: dict[str, str] = {
    word: group.split()[0] for group in _LISTS["synonyms"] for word in group.split()
}
"""Each word of a group with the first one."""
TIME_BOUND = frozenset(_LISTS["time_bound"].split())
"""Words that mean something else on the next day."""
POLITENESS = re.compile(
    r"^(?:(?:please|kindly|hello|hi|hey)[,!]?|(?:can|could|would|will) you(?: please)?"
    r"|i(?:'d| would) like to know|i (?:want|need) to know|(?:tell|give|show) me|let me know)\s+"
    r"|[\s,]+(?:please|thanks|thank you)\W*$",
    re.IGNORECASE,
)
REWRITES = (
    (re.compile(r"\bhow (?:big|large)\b", re.IGNORECASE), "size"),
    (re.compile(r"\bhow (?:much|many)\b|\bnumber of\b", re.IGNORECASE), "number"),
    (re.compile(r"\bper ?cent\b|(?<=\d) ?%", re.IGNORECASE), " percent"),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"\b(?:[A-Za-z]\.){2,}"), lambda match: match[0].replace(".", "").upper()),
    (re.compile(r"(?<=[^\W\d_])[-–/](?=[^\W\d_])"), " "),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"\b(?:can't|cannot)\b", re.IGNORECASE), "can not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(what|who|where|when|how|it|that|there)'s\b", re.IGNORECASE), r"\1 is"),
)
PUNCTUATION = '"“”‘()[]{}<>«»¿¡?!.,;:…'
CLAUSE_ENDS = (",", ";", ":", ".", "?", "!", ")")


@dataclass(frozen=True)
class Word:
    """A word of a question: as written and in its base form."""

    text: str
    base: str
    is_first: bool
    is_possessive: bool
    ends_clause: bool

    @property
    def is_name(self) -> bool:
        """True if it is capitalized as a name."""
        return self.text[:1].isupper() and not self.is_first

    @property
    def is_acronym(self) -> bool:
        """True if it is written in capitals."""
        return len(self.text) > 1 and self.text.isupper()


def is_same_question(one: str, other: str) -> bool:
    """Tell whether a report on one question answers the other."""
    first, second = _normalize(one), _normalize(other)
    if _is_yes_no(first) != _is_yes_no(second):
        return False
    words, others = _content_words(first), _content_words(second)
    both_cased = all(any(word.is_name for word in side) for side in (words, others))
    return (
        bool(words)
        and len(words) == len(others)
        and all(_is_same_word(a, b, both_cased) for a, b in zip(words, others, strict=True))
    )


def may_be_about(question: str, name: str, subjects: str) -> bool:
    """Tell whether a question has all of a name, or half its words, at most three, for what bears it.

    Names do not count among these: many a question is about the same country.
    """
    words = _content_words(_normalize(question))
    asked = {word.base for word in words}
    named, told = ({w.base for w in _content_words(_normalize(text))} for text in (name, subjects))
    shared = {word.base for word in words if not word.is_name} & told
    enough = min(3, max(2, (len(asked) + 1) // 2))
    return bool(named and named <= asked) or len(shared) >= enough


def is_time_bound(question: str) -> bool:
    """Tell whether a question has another answer on another day."""
    return not TIME_BOUND.isdisjoint(re.findall(r"\w+", question.casefold()))


def _is_same_word(one: Word, other: Word, both_cased: bool) -> bool:
    """Compare two words; where both questions use capitals, these tell a name from a word."""
    if one.is_acronym != other.is_acronym:
        return False
    named = one.is_name or other.is_name
    starts = one.is_first or other.is_first
    if named and both_cased and not starts and one.is_name != other.is_name:
        return False
    if named or one.is_acronym:
        return one.text.casefold() == other.text.casefold()
    return one.base == other.base


def _normalize(question: str) -> str:
    text = unicodedata.normalize("NFKC", question).replace("’", "'").strip()
    while (shorter := POLITENESS.sub("", text)) != text:
        text = shorter
    for pattern, replacement in REWRITES:
        text = pattern.sub(replacement, text)
    return text


def _is_yes_no(text: str) -> bool:
    return text.split(" ", 1)[0].casefold() in AUXILIARIES


def _content_words(text: str) -> list[Word]:
    """Return the content words, an owner after what it owns: Kenya's market, market of Kenya."""
    content: list[Word] = []
    owners: list[Word] = []
    for word in _split_words(text):
        if word.text.casefold() in STOP_WORDS and not word.is_acronym:
            content, owners = [*content, *owners], []
        elif word.is_possessive:
            while content and content[-1].is_name and word.is_name and not content[-1].ends_clause:
                owners.insert(0, content.pop())
            owners.append(word)
        else:
            content.append(word)
        if word.ends_clause:
            content, owners = [*content, *owners], []
    return [*content, *owners]


def _split_words(text: str) -> Iterator[Word]:
    for number, raw in enumerate(text.split()):
        word = raw.strip(PUNCTUATION)
        is_possessive = word.endswith(("'s", "s'"))
        word = word.removesuffix("'s").strip("'")
        if word:
            ends_clause = raw.endswith(CLAUSE_ENDS)
            yield Word(word, _to_base(word), number == 0, is_possessive, ends_clause)


def _to_base(word: str) -> str:
    """Return a word in lower case and singular, or the first of its synonyms."""
    base = word.casefold()
    if base.endswith("ies") and len(base) > 4:
        base = base[:-3] + "y"
    elif base.endswith(("ches", "shes", "sses", "xes")):
        base = base[:-2]
    elif base.endswith("s") and len(base) > 3 and not base.endswith(("ss", "us", "is")):
        base = base[:-1]
    return SYNONYMS.get(base, base)
