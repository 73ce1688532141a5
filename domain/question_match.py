"""Whether two questions ask the same, word for word but for how they are put.

Vectors of questions that differ in a year, a place or a "not" lie closer than those of many a
paraphrase. So two questions agree only if what is left of both, once the words that do no more than
ask are taken away, is the same in the same order: every number, name, place, date, negation,
direction and comparison is a word that stays. Rather a likeness missed than a wrong one found.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from contracts.phases.validation import TIMELY


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


ASIDE = _listed("a an the of in on at for about and is are am be do does what which i we you")
"""Words whose absence changes nothing; whether something *was* or *will* be is not among them."""

WHETHER = _listed(
    "is are am was were do does did has have had can could should would shall will may might must"
)
"""A question that begins with one of these is answered by yes or no."""

GROUPS = (
    *("big large", "main major principal chief primary key", "latest newest", "buy purchase"),
    *("current currently now", "country nation", "company firm corporation", "fast quick"),
    *("overview summary outline", "begin start", "number amount count", "cheap inexpensive"),
    *("0 zero", "1 one", "2 two", "3 three", "4 four", "5 five", "6 six", "7 seven", "8 eight"),
    *("9 nine", "10 ten", "11 eleven", "12 twelve"),
)
ALIKE = {word: group.split()[0] for group in GROUPS for word in group.split()}
"""Words that ask for the same, each with the one that stands for it."""

OF_ITS_DAY = _listed("tonight yesterday tomorrow now newest recently this last next ago").union(
    TIMELY
)
"""What these mean has changed by the next day."""

POLITE = re.compile(
    r"^(?:(?:please|kindly|hello|hi|hey)[,!]?|(?:can|could|would|will) you(?: please)?"
    r"|i(?:'d| would) like to know|i (?:want|need) to know|(?:tell|give|show) me|let me know)\s+"
    r"|[\s,]+(?:please|thanks|thank you)\W*$",
    re.IGNORECASE,
)
PHRASES = (
    (re.compile(r"\bhow (?:big|large)\b", re.IGNORECASE), "size"),
    (re.compile(r"\bhow (?:much|many)\b|\bnumber of\b", re.IGNORECASE), "number"),
    (re.compile(r"\bper ?cent\b|(?<=\d) ?%", re.IGNORECASE), " percent"),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"\b(?:[A-Za-z]\.){2,}"), lambda found: found[0].replace(".", "").upper()),
    (re.compile(r"(?<=[^\W\d_])[-–/](?=[^\W\d_])"), " "),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"\b(?:can't|cannot)\b", re.IGNORECASE), "can not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(what|who|where|when|how|it|that|there)'s\b", re.IGNORECASE), r"\1 is"),
)
AROUND = '"“”‘()[]{}<>«»¿¡?!.,;:…'
BREAKS = (",", ";", ":", ".", "?", "!", ")")


@dataclass(frozen=True)
class Word:
    """A word that stays: its form, whether that is a name's, and whether one ends with it."""

    form: str
    said: str
    leads: bool
    owns: bool
    breaks: bool

    @property
    def is_name(self) -> bool:
        """Whether it is written as a name."""
        return self.said[:1].isupper() and not self.leads

    @property
    def is_acronym(self) -> bool:
        """Whether it is written in capitals."""
        return len(self.said) > 1 and self.said.isupper()


def agree(one: str, other: str) -> bool:
    """Whether a report on one question answers the other."""
    first, second = _plain(one), _plain(other)
    if _asks_whether(first) != _asks_whether(second):
        return False
    mine, others = _kept(first), _kept(second)
    cased = all(any(word.is_name for word in words) for words in (mine, others))
    return (
        bool(mine)
        and len(mine) == len(others)
        and all(_same(a, b, cased=cased) for a, b in zip(mine, others, strict=True))
    )


def is_of_its_day(question: str) -> bool:
    """Whether a question has another answer on another day."""
    return not OF_ITS_DAY.isdisjoint(re.findall(r"\w+", question.casefold()))


def _same(one: Word, other: Word, *, cased: bool) -> bool:
    """Compare two words; where both writers use capitals, these tell a name from a word."""
    if one.is_acronym != other.is_acronym:
        return False
    named = one.is_name or other.is_name
    if named and cased and not (one.leads or other.leads) and one.is_name != other.is_name:
        return False
    if named or one.is_acronym:
        return one.said.casefold() == other.said.casefold()
    return one.form == other.form


def _plain(question: str) -> str:
    text = unicodedata.normalize("NFKC", question).replace("’", "'").strip()
    while (shorter := POLITE.sub("", text)) != text:
        text = shorter
    for pattern, instead in PHRASES:
        text = pattern.sub(instead, text)
    return text


def _asks_whether(text: str) -> bool:
    return text.split(" ", 1)[0].casefold() in WHETHER


def _kept(text: str) -> list[Word]:
    """Return the words that stay, an owner behind what it owns: Kenya's market, market of Kenya."""
    words = list(_words(text))
    kept: list[Word] = []
    owners: list[Word] = []
    for word in words:
        if word.said.casefold() in ASIDE and not word.is_acronym:
            kept, owners = [*kept, *owners], []
        elif word.owns:
            while kept and kept[-1].is_name and word.is_name and not kept[-1].breaks:
                owners.insert(0, kept.pop())
            owners.append(word)
        else:
            kept.append(word)
        if word.breaks:
            kept, owners = [*kept, *owners], []
    return [*kept, *owners]


def _words(text: str) -> Iterator[Word]:
    for number, raw in enumerate(text.split()):
        said = raw.strip(AROUND)
        owns = said.endswith(("'s", "s'"))
        said = said.removesuffix("'s").strip("'")
        if said:
            yield Word(_form(said), said, number == 0, owns, raw.endswith(BREAKS))


def _form(said: str) -> str:
    """Return a word in the singular, or the first of those that mean the same."""
    word = said.casefold()
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return ALIKE.get(word, word)
