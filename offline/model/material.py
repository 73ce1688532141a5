"""The contents of a request by kind: question, answers, numbers, sources, data."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from offline.model.conversation import Conversation, Json, Texts
from offline.model.schema import Schemas, Shape
from offline.model.subject import Subject
from offline.text.passages import Passage, split_passages

NUMBERED = re.compile(r"(?<!\d)(\d+)\Z")
ABOUT = re.compile(r"^[a-z_]+: .*$")
ENDS = (".", "!", "?", ")", "”", '"', ":", "|", "。")
NAMED = {"id", "text"}
"""The fields of a sentence that is given without its quotes."""
TITLE_CHARS = 200
SURELY_WHOLE_CHARS = 2_000
"""A longer text that does not end like a sentence may be cut off; its last passage is not quoted."""


@dataclass(frozen=True)
class NumberedSource:
    """A source with its full text, or with the passages already quoted from it."""

    number: int
    title: str
    text: str
    quoted: tuple[Passage, ...] = ()

    @cached_property
    def passages(self) -> list[Passage]:
        """Its passages, each to be quoted whole."""
        every = split_passages(self.number, self.text)
        found = [passage for passage in every if passage.plain != self.title] or every
        may_be_cut = len(self.text) > SURELY_WHOLE_CHARS and not self.text.rstrip().endswith(ENDS)
        return [*self.quoted, *(found[:-1] if may_be_cut else found)]


class Material:
    """A conversation's texts, each read once by its form: a number, JSON data, a source, or prose."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.data: list[Any] = []
        self.numbers: list[int] = []
        """The texts that are integers: bounds on the number of items in the answer."""
        prose: list[str] = []
        for name, text in conversation.texts.items():
            if (found := read_json(text)) is not None:
                self.data.append(found)
            elif text.strip().isdecimal():
                self.numbers.append(int(text))
            elif text.strip() and not read_source(name, text):
                prose.append(text.strip())
        self.subject = Subject("".join(prose[:1]), prose[1:], [*self._list_answers()])

    def _list_answers(self) -> Iterator[str]:
        """Yield the user's answers: strings that follow a question in the same list entry."""
        for entry in (entry for data in self.data if isinstance(data, list) for entry in data):
            [*asked, answer] = list_strings(entry) or [""]
            yield from [answer] if any(text.endswith("?") for text in asked) else []

    @property
    def parts(self) -> list[str]:
        """The parts of a report: its sections and what was asked for since, or those of the question."""
        return [*self.written, *self.subject.requests[:1]] if self.written else self.subject.parts

    @property
    def compared(self) -> list[str]:
        """The items that the question lists; empty if a report exists already."""
        return [] if self.written else self.subject.names

    @property
    def queries(self) -> list[str]:
        """Search queries for the question; if a report exists, only for what was asked for since."""
        return self.subject.list_queries(only_wishes=bool(self.written and self.subject.wishes))

    @property
    def settled(self) -> Json:
        """The values that objects in the data give, by their names."""
        return {n: v for d in self.data if isinstance(d, dict) for n, v in d.items() if v}

    @cached_property
    def own_parts(self) -> list[str]:
        """The names among those of the question that alone are assigned; empty where all are."""
        names = self.subject.names
        assigned = [[*dict.fromkeys(found)] for found in self._lists if all(map(is_text, found))]
        return next((a for a in assigned if {*a} < {*names}), [])

    @property
    def _lists(self) -> list[list[Any]]:
        objects = (data for data in self.data if isinstance(data, dict))
        return [v for each in objects for v in each.values() if isinstance(v, list) and v]

    @cached_property
    def written(self) -> list[str]:
        """The labels of list entries that contain another object: a report's section headings."""
        listed = ((e, list_strings(e)) for entries in self._lists for e in entries)
        held = ((e, texts) for e, texts in listed if texts)
        return [texts[0] for e, texts in held if any(isinstance(v, dict) and v for v in e.values())]

    @property
    def phrases(self) -> list[list[str]]:
        """The lists of strings in the objects among the data, without sentences."""
        lists = (found for found in self._lists if all(map(is_text, found)))
        return [kept for found in lists if (kept := [text for text in found if text[-1] != "."])]

    @property
    def pages(self) -> list[NumberedSource]:
        """The sources that tool results gave, each whole as far as it was read."""
        uses = (use for turn in self.conversation.uses for use in turn if not use.failed)
        return join_parts(page for use in uses for page in find_sources(use.texts))

    @cached_property
    def sources(self) -> list[NumberedSource]:
        """The sources with text, by number; without any, the quotes that the data give."""
        told = join_parts(find_sources(self.conversation.texts))
        given = {source.number: source for source in (*told, *self.pages)}
        found = [given[number] for number in sorted(given) if given[number].text.strip()]
        return found or (list_quoted(self.data, self.citing) if self.citing else [])

    @cached_property
    def citing(self) -> tuple[str, ...]:
        """The names under which the answer quotes a source, as data given to it do."""
        schema = self.conversation.schema or {}
        found = (shape.quoting for shape in Shape(Schemas(schema), schema).walk())
        return next(filter(None, found), ())


def find_sources(texts: Texts) -> list[NumberedSource]:
    """Return the sources among fenced texts."""
    return [found for name, text in texts.items() if (found := read_source(name, text))]


def join_parts(pages: Iterable[NumberedSource]) -> list[NumberedSource]:
    """Merge pages that have the same number, joining the texts of their parts in order."""
    found: dict[int, NumberedSource] = {}
    for page in pages:
        known = found.get(page.number)
        found[page.number] = replace(known, text=f"{known.text}\n{page.text}") if known else page
    return list(found.values())


def is_text(value: Any) -> bool:
    """Return whether a value is a string with something in it."""
    return isinstance(value, str) and bool(value.strip())


def list_strings(entry: Any) -> list[str]:
    """Return the strings among an object's values."""
    return [v for v in entry.values() if is_text(v)] if isinstance(entry, dict) else []


def read_source(name: str, given: str) -> NumberedSource | None:
    """Return the source in a fenced text whose name ends in a number, else None.

    Its header ends at the first empty line: lines of `name: value`, optionally after a title.
    """
    found = NUMBERED.search(name)
    if not found:
        return None
    head, gap, body = given.lstrip().partition("\n\n")
    lines = head.splitlines() or [""]
    has_names = all(map(ABOUT.match, lines))
    is_title = 0 < len(lines[0]) <= TITLE_CHARS and not lines[0].startswith("#")
    if not (has_names or (gap and is_title and all(map(ABOUT.match, lines[1:])))):
        return NumberedSource(int(found[1]), "", given)
    values = [line.partition(": ")[2] for line in lines] if has_names else [lines[0].strip()]
    title = next((value for value in values if "://" not in value), "")
    return NumberedSource(int(found[1]), title, body)


def list_quoted(data: Any, names: tuple[str, ...]) -> list[NumberedSource]:
    """Return the cited sentences in the data as sources; `names` are the fields of a citation.

    If no sentence has a citation, each citation becomes a passage.
    """
    objects = [*find_objects(data)]
    said = (read_statement(each, names) for each in objects)
    alone = (Passage(*pair) for each in objects for pair in list_pairs([each], names))
    found: dict[int, list[Passage]] = {}
    for passage in [each for each in said if each] or alone:
        found.setdefault(passage.source, []).append(passage)
    return [NumberedSource(number, "", "", tuple(told)) for number, told in sorted(found.items())]


def read_statement(entry: Json, names: tuple[str, ...]) -> Passage | None:
    """Return the longest string of an object with the citations that it lists, or with its id."""
    lists = (value for value in entry.values() if isinstance(value, list))
    pairs = [pair for listed in lists for pair in list_pairs(listed, names)]
    texts = list_strings(entry)
    if not pairs and texts and entry.keys() >= NAMED and is_text(entry["text"]):
        return Passage(0, entry["text"], name=entry["id"])
    return Passage(pairs[0][0], max(texts, key=len), cited=(*pairs,)) if pairs and texts else None


def list_pairs(entries: list[Any], names: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return the source and the quote of each object that has both."""
    pairs = ([each.get(name) for name in names] for each in entries if isinstance(each, dict))
    return [(n, quote) for n, quote in pairs if isinstance(n, int) and isinstance(quote, str)]


def find_objects(data: Any) -> Iterator[Json]:
    """Yield the objects in JSON data, those within others too."""
    if isinstance(data, dict):
        yield data
        data = [*data.values()]
    for part in data if isinstance(data, list) else ():
        yield from find_objects(part)


def read_json(text: str) -> Any:
    """Return the parsed JSON, or None if the text is not a JSON array or object."""
    try:
        return json.loads(text) if text.lstrip()[:1] in ("[", "{") else None
    except ValueError:
        return None
