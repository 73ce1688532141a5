"""The material of a request, told apart by structure: question, answers, numbers, sources, data."""

from functools import cached_property
from typing import Any

from offline.model.conversation import Conversation, Json, Texts
from offline.model.question import Subject
from offline.model.schema import Schemas, Shape
from offline.model.source import NumberedSource, quoted, read_json, source_of


class Material:
    """A conversation's texts, each read once by its form: a number, JSON data, a source, or prose."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        own = conversation.texts
        self.data = [found for text in own.values() if (found := read_json(text)) is not None]
        self._plain = {
            name: text.strip()
            for name, text in own.items()
            if text.strip() and read_json(text) is None and not source_of(name, text)
        }

    @property
    def numbers(self) -> list[int]:
        """The texts that are whole numbers: bounds on what is asked for."""
        return [int(text) for text in self._plain.values() if text.isdecimal()]

    @cached_property
    def prose(self) -> list[str]:
        """The texts in words, of which the first is the question."""
        return [text for text in self._plain.values() if not text.isdecimal()]

    @cached_property
    def subject(self) -> Subject:
        """The question, with the wishes that answers and later prose add to it."""
        said = [answer for _, answer in self.answers if answer]
        return Subject(next(iter(self.prose), ""), [*said, *self.prose[1:]])

    @cached_property
    def answers(self) -> list[tuple[str, str]]:
        """The questions that were put, each with its answer, or nothing where it was left open."""
        found = []
        for entry in (entry for data in self.data if isinstance(data, list) for entry in data):
            asked = [text for text in strings(entry) if text.endswith("?")]
            if asked and isinstance(entry, dict):
                last = list(entry.values())[-1]
                is_answer = isinstance(last, str) and last != asked[0]
                found.append((asked[0], last if is_answer else ""))
        return found

    @property
    def records(self) -> list[Json]:
        """The entries of the last list of objects."""
        lists = [d for d in self.data if isinstance(d, list) and d and isinstance(d[0], dict)]
        return lists[-1] if lists else []

    @cached_property
    def settled(self) -> Json:
        """The values that objects in the data give, by their names."""
        found: Json = {}
        for data in self.data:
            found |= data if isinstance(data, dict) else {}
        return found

    @property
    def phrases(self) -> list[list[str]]:
        """The lists of strings in the objects among the data."""
        values = (v for d in self.data if isinstance(d, dict) for v in d.values())
        return [v for v in values if isinstance(v, list) and v and all(map(is_text, v))]

    @property
    def pages(self) -> list[NumberedSource]:
        """The sources that tool results gave, each whole as far as it was read."""
        found: dict[int, NumberedSource] = {}
        for use in (use for turn in self.conversation.uses for use in turn if not use.failed):
            for page in sources_in(use.texts):
                known = found.get(page.number)
                text = f"{known.text}\n{page.text}" if known else page.text
                found[page.number] = NumberedSource(page.number, page.title, text)
        return list(found.values())

    @cached_property
    def sources(self) -> list[NumberedSource]:
        """The sources with text, by number; without any, the quotes that the data give."""
        given = {s.number: s for s in (*sources_in(self.conversation.texts), *self.pages)}
        found = [given[number] for number in sorted(given) if given[number].text.strip()]
        names = self._citing
        return found or (quoted(self.data, names) if names and not self.pages else [])

    @property
    def _citing(self) -> tuple[str, str] | None:
        """The names under which the answer quotes a source, as data given to it do."""
        schema = self.conversation.schema or {}
        found = (shape.quoting for shape in Shape(Schemas(schema), schema).within())
        return next(filter(None, found), None)


def sources_in(texts: Texts) -> list[NumberedSource]:
    """Return the sources among fenced texts."""
    return [found for name, text in texts.items() if (found := source_of(name, text))]


def is_text(value: Any) -> bool:
    """Tell whether a value is a string with something in it."""
    return isinstance(value, str) and bool(value.strip())


def strings(entry: Any) -> list[str]:
    """Return the strings among an object's values."""
    return [v for v in entry.values() if is_text(v)] if isinstance(entry, dict) else []
