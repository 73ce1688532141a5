"""The question of a request: what it compares, and which queries to search for."""

import re
from functools import cached_property

from offline.text.words import clip, list_terms, split_words

_CAPITALIZED = r"[^\W\d_a-zß-ÿ][\w.'’&\-]{0,60}+"
_NAME = rf"{_CAPITALIZED}(?>(?:\s{{1,9}}{_CAPITALIZED}){{0,9}})"
LISTED = re.compile(
    rf"(?<!\w){_NAME}(?:\s{{0,9}},\s{{1,9}}{_NAME}){{0,20}}\s{{0,9}},?\s{{1,9}}"
    rf"(?:and|or|und|oder)\s{{1,9}}(?:the\s{{1,9}})?{_NAME}"
)
"""Capitalized names in a list: `A, B and C`."""
SPLIT = re.compile(r"(?<!\s)(?:,?\s++(?:and|or|und|oder)\s++(?:the\s++)?|\s*+,\s*+)")
LONGEST_QUESTION, TITLE_CHARS, WISH_CHARS, QUERY_CHARS, QUERY_WORDS = 2_000, 120, 300, 300, 40


class Subject:
    """A question with the requests and the answers that came after it."""

    def __init__(self, question: str, requests: list[str], answers: list[str]) -> None:
        self.question = " ".join(question[:LONGEST_QUESTION].split())
        self.requests = [clip(each, WISH_CHARS).rstrip(" .?") for each in requests]
        """What the user asked for later. An answer to a clarifying question requests nothing."""
        self.wishes = self.requests + [clip(each, WISH_CHARS).rstrip(" .?") for each in answers]
        """Search terms: later requests, then answers to clarifying questions."""

    @cached_property
    def names(self) -> list[str]:
        """The items that the question lists, such as countries to compare, without the sentence's first word."""
        found = LISTED.search(self.question)
        if not found:
            return []
        first, *others = (name.strip(" .,") for name in SPLIT.split(found[0]))
        if found.start() == 0 and " " in first:
            first = first.partition(" ")[2]
        return list(dict.fromkeys([first, *others]))

    @property
    def title(self) -> str:
        """The question as a heading."""
        return clip(self.question.strip(" ?¿!。？"), TITLE_CHARS)

    @property
    def parts(self) -> list[str]:
        """The parts of a report on the question: the listed items, else the whole question."""
        return self.names or [self.title]

    @property
    def terms(self) -> list[str]:
        """The search terms of the question and its wishes."""
        return list_terms(" ".join([self.question, *self.wishes]))

    @property
    def topic(self) -> list[str]:
        """The search terms of the question, without those of the names that it lists."""
        known = {word for name in self.names for word in split_words(name)}
        return [term for term in list_terms(self.question) if term not in known]

    @property
    def is_vague(self) -> bool:
        """Return whether it has too few words to search for."""
        return len(list_terms(" ".join([self.title, *self.wishes]))) < 2

    def list_queries(self, *, only_wishes: bool = False) -> list[str]:
        """Return what to search for: each name with the topic, else the question, and each wish."""
        topic, names = " ".join(self.topic), " ".join(self.names)
        own = [] if only_wishes else [f"{name} {topic}" for name in self.names] or [self.title]
        about = topic if only_wishes else names or self.title
        cut = (
            query.split()[:QUERY_WORDS] for query in (*own, *(f"{about} {w}" for w in self.wishes))
        )
        return list(dict.fromkeys(clip(" ".join(words), QUERY_CHARS) for words in cut))
