"""What a text may say is not filed, by notion: how people ask for it, and the tags under which it is filed."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from importlib.resources import files

from pydantic import Field, TypeAdapter

from contracts.base import Contract

MAX_PHRASES = 6
"""Tags in words by which a page of facts is searched for a notion."""


class Notion(Contract):
    """A thing that is asked for: the words that ask for it, the tags that state it, the metrics that show it."""

    asked: str = Field(description="pattern of the words, in both languages of reports")
    tags: str = Field(description="pattern of the beginnings of tags")
    metrics: list[str] = []
    always: bool = Field(default=False, description="an investor asks for it without saying so")

    @cached_property
    def words(self) -> re.Pattern[str]:
        """The pattern of the words that ask for it."""
        return re.compile(rf"\b(?:{self.asked})", re.IGNORECASE)

    @cached_property
    def named(self) -> re.Pattern[str]:
        """The pattern of its tags."""
        return re.compile(self.tags)


NOTIONS = TypeAdapter(dict[str, Notion]).validate_json(
    files(__package__).joinpath("notions.json").read_bytes()
)


def list_touched(*texts: str) -> list[str]:
    """Return the notions that texts ask for or speak of."""
    whole = "\n".join(texts)
    return [name for name, notion in NOTIONS.items() if notion.words.search(whole)]


def list_of_metrics(metrics: Collection[str]) -> list[str]:
    """Return the notions that metrics show."""
    return [name for name, notion in NOTIONS.items() if {*metrics} & {*notion.metrics}]


def list_asked_for(question: Iterable[str], unknown: Collection[str]) -> list[str]:
    """Return the notions on which a page lists what is filed: those of the question first, then of metrics without a figure."""
    usual = (name for name, notion in NOTIONS.items() if notion.always)
    return [*dict.fromkeys([*question, *list_of_metrics(unknown), *usual])]


def choose_tags(names: Iterable[str], tags: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the tags that state notions, each once, with the first notion that it states."""
    told = set[str]()
    for name in names:
        for tag in tags:
            if tag not in told and NOTIONS[name].named.match(tag):
                told.add(tag)
                yield name, tag
