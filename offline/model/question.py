"""The question that a request is about: what it compares, its topic, and how to search for it."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, pairwise

from offline.model.wishes import CONJUNCTION, split_wish
from offline.text.words import TIMELY, clip, detect_language, join_phrases, split_words

_CAPITALIZED = r"[^\W\d_a-zß-ÿ][\w.'’&\-]{0,60}+"
NAME = rf"{_CAPITALIZED}(?:\s{{1,9}}{_CAPITALIZED}){{0,9}}+"
WORD = r"[\w'’\-]{1,60}+"
COMPARED = re.compile(
    rf"(?<!\w)(?:{NAME}\s{{0,9}},\s{{1,9}}(?:the\s{{1,9}})?){{0,20}}{NAME}\s{{0,9}},?\s{{1,9}}"
    rf"{CONJUNCTION}\s{{1,9}}(?:the\s{{1,9}})?{NAME}"
)
ALTERNATIVES = re.compile(rf"\b({WORD})\s{{1,9}}(?:or|vs\.?|versus|oder|ou)\s{{1,9}}({WORD})(?!\w)")
SPLIT = re.compile(
    rf"(?:(?<!\s)\s*,\s*(?:{CONJUNCTION}\s+)?|(?<!\s)\s+{CONJUNCTION}\s+)(?:the\s+)?"
)
ORDER = re.compile(
    rf"\W*+{WORD}\s+(?:an?|the|my|our|ein\w*|une?|una|uma?|een|het|le|la|el)\s[^?A-Z\d]+"
)
KIND = re.compile(rf"\W*+({WORD})\s+({WORD})\s[^:,]*+[:,]\s")
"""A question that says of what kind the names behind it are: “Which country is larger: A or B?”"""
BREAK = re.compile(r"[,;:.!?]\s")
LONGEST_QUESTION = 2_000
PHRASE_WORDS = 8
TITLE_CHARS, MANY_WORDS = 120, 3
Lists = Sequence[Sequence[str]]


class Subject:
    """A question with the wishes that came after it, and lists that were agreed, taken apart."""

    def __init__(self, question: str, wishes: list[str], agreed: Lists = ()) -> None:
        self.question = " ".join(question[:LONGEST_QUESTION].split())
        self.wishes = wishes
        self.language = detect_language(self.question)
        self._agreed = agreed

    @cached_property
    def compared(self) -> list[str]:
        """The things that are set side by side: names, else the words on both sides of an “or”."""
        own = [self._drop_first_word(name) for name in find_compared(self.question)]
        more = [*self._more_names, *self._list_agreed(own or self._inner)]
        if names := own or (self._inner if more else []):
            every = dict.fromkeys([*names, *more])
            return [name for name in every if not self._is_left_out(name)]
        found = ALTERNATIVES.search(self.question)
        sides = [self.language.list_content_words(side) for side in found.groups()] if found else []
        return [side[0] for side in sides] if len(sides) == 2 and all(sides) else []

    @property
    def _more_names(self) -> list[str]:
        """The names within wishes; a wish that begins with one may be any word written large."""
        begun = tuple(wish.strip().partition(" ")[0] for wish in self.wishes)
        told = [name for phrase in self._wished for name in find_compared(phrase) or [phrase]]
        return [name for name in told if is_name(name) and not name.startswith(begun)]

    def _list_agreed(self, names: list[str]) -> list[str]:
        """Return the names that a list has beside some that are compared, and no wish."""
        found = next((each for each in self._agreed if {*names} & {*each}), ())
        return [name for name in found if is_name(name) and name not in self._wished]

    @cached_property
    def _wished(self) -> list[str]:
        """The wishes as phrases, from their first word that carries meaning to their last."""
        clauses = (each for wish in self.wishes for each in split_wish(wish, self.language))
        spans = (find_span(clause, words) for clause, words, goes in clauses if not goes)
        return list(dict.fromkeys(filter(None, spans)))

    @cached_property
    def left_out(self) -> frozenset[str]:
        """The stems of what a wish leaves out, or a line that was agreed."""
        told = chain(self.wishes, *self._agreed)
        clauses = (each for wish in told for each in split_wish(wish, self.language))
        words = [word for _, words, goes in clauses if goes for word in words]
        return self.language.list_stems(" ".join(words))

    def _is_left_out(self, text: str) -> bool:
        return not self.left_out.isdisjoint(self.language.list_stems(text))

    @cached_property
    def _inner(self) -> list[str]:
        """The names within sentences; German writes every noun large."""
        is_telling = self.language.name != "german"
        return re.findall(rf"(?<=[^.!?\s]\s){NAME}", self.question) if is_telling else []

    def _drop_first_word(self, name: str) -> str:
        """Return a name without the word that is only written large since a sentence begins."""
        first, _, rest = name.partition(" ")
        return rest if rest and first.casefold() in self.language.function_words else name

    @cached_property
    def named(self) -> list[frozenset[str]]:
        """The stems of each thing compared, else of each name within its sentence."""
        names = self.compared or self._inner
        return [stems for name in names if (stems := self.language.list_stems(name))]

    @cached_property
    def names(self) -> frozenset[str]:
        """The stems of all its names."""
        return frozenset().union(*self.named)

    def is_named_in(self, stems: frozenset[str]) -> bool:
        """Tell whether stems have all those of a name."""
        return any(all(has_stem(stems, part) for part in name) for name in self.named)

    @cached_property
    def topic(self) -> str:
        """The words that say what is asked, as one phrase."""
        own = self.language.list_stems(" ".join(self.compared)) | self.left_out
        words = self.language.list_content_words(self.question)
        asked, kind = found.groups() if (found := KIND.match(self.question)) else ("", "")
        if self.compared and asked.casefold() in self.language.function_words:
            own |= {self.language.stem(kind)}
        told = [word for word in words if self.language.stem(word) not in own]
        if not told:
            return ""
        phrase = find_span(self.question, told)
        others = [*self.compared, *(word for word in words if self._is_left_out(word))]
        is_apart = phrase and not any(name in phrase for name in others)
        return phrase if is_apart else " ".join(told[:PHRASE_WORDS])

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of what is asked, names left out unless nothing else is."""
        found = self.language.list_stems(" ".join([self.topic, *self.phrases]))
        return (found - self.names or found) if self.topic else found | self.names

    @cached_property
    def phrases(self) -> list[str]:
        """The wishes that are short enough to search for, names of more to compare left out."""
        names = {*self.compared}
        return [p for p in self._wished if not {*(find_compared(p) or [p])} <= names]

    @cached_property
    def is_vague(self) -> bool:
        """Tell whether it names nothing to search for: at most one word, an order's verb aside."""
        words = self.language.list_content_words(" ".join([self.question, *self.wishes]))
        is_order = ORDER.fullmatch(self.question) and self.question.startswith(words[0])
        return len(words) - bool(is_order) < 2 and not self.named

    @property
    def is_timely(self) -> bool:
        """Tell whether it has a word for what changes from day to day."""
        return not TIMELY.isdisjoint(map(str.casefold, split_words(self.question)))

    @cached_property
    def title(self) -> str:
        """A heading for all of it."""
        if self.compared:
            parts = filter(None, [capitalize(self.topic), join_phrases(self.compared)])
            return clip(": ".join(parts), TITLE_CHARS)
        return clip(self.question.strip(" ?¿!。？"), TITLE_CHARS)

    @property
    def parts(self) -> list[str]:
        """The parts that a report on it has: what is compared, else the topic; then the wishes."""
        first = self.compared or [capitalize(self.topic) or self.title]
        return list(dict.fromkeys([*first, *self.phrases]))

    def list_queries(self, part: str | None = None) -> list[str]:
        """Return what to search for, for one part or for all."""
        names = self.compared or [""]
        topics = [self.topic, *self.phrases, *self._pairs]
        found = [" ".join(f"{name} {topic}".split()) for topic in topics for name in names]
        found = [query for query in found if not self._is_left_out(query)] or found
        own = [query for query in found if part is None or part in query]
        return list(dict.fromkeys(own or found))

    @property
    def _pairs(self) -> list[str]:
        """Queries of two neighbouring words and the names, for a question of many words."""
        words = self.language.list_content_words(self.question)[:PHRASE_WORDS]
        names = [word for word in words if self.language.stem(word) in self.names]
        others = [word for word in words if word not in names]
        is_long = len(others) > MANY_WORDS and not self.compared
        pairs = pairwise(others) if is_long else ()
        return [" ".join([*pair, *names]) for pair in pairs]


def has_stem(stems: frozenset[str], stem: str) -> bool:
    """Tell whether a stem is among stems or, unless it is short, begins one of them."""
    return stem in stems or (len(stem) > 3 and any(other.startswith(stem) for other in stems))


def find_span(text: str, words: list[str]) -> str:
    """Return the stretch of a text from one word to another, if it is a short phrase."""
    if not words:
        return ""
    found = text[text.find(words[0]) : text.rfind(words[-1]) + len(words[-1])]
    is_phrase = len(found.split()) <= PHRASE_WORDS and not BREAK.search(found)
    return found if is_phrase else ""


def capitalize(text: str) -> str:
    """Return a text with its first letter large."""
    return text[:1].upper() + text[1:]


def is_name(phrase: str) -> bool:
    """Tell whether every word of a phrase begins with a large letter."""
    return re.fullmatch(NAME, phrase) is not None


def find_compared(text: str) -> list[str]:
    """Return the names that a text lists: `A, B and C`, `A or B`."""
    found = COMPARED.search(text)
    return [part.strip(" .,") for part in SPLIT.split(found[0])] if found else []
