"""The material of a request, told apart by structure: question, answers, numbers, sources, data."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from offline.model.conversation import Conversation, Json, Texts
from offline.model.question import Subject
from offline.model.schema import Schemas, Shape
from offline.text.passages import Passage, split_passages, split_quotes

NUMBERED = re.compile(r"(?<!\d)(\d+)\Z")
ABOUT = re.compile(r"^[a-z_]+: .*$")
ENDS = (".", "!", "?", ")", "”", '"', ":", "|", "。")
TITLE_CHARS = 200
SURELY_WHOLE_CHARS = 2_000


@dataclass(frozen=True)
class NumberedSource:
    """One source; only its own text is ever quoted, and never a line that may be cut off."""

    number: int
    title: str
    text: str
    quotes: tuple[tuple[str, ...], ...] = ()
    """Where only quotes of it are known, which somebody has chosen already: those that belong together."""
    url: str = ""

    @property
    def is_quoted(self) -> bool:
        """Tell whether only quotes of it are known."""
        return bool(self.quotes)

    @property
    def is_own(self) -> bool:
        """Tell whether it is a document that was handed over, as its address says."""
        return self.url.startswith("file:")

    @cached_property
    def passages(self) -> list[Passage]:
        """Its lines, sentences and clauses."""
        if self.quotes:
            told = (p for quotes in self.quotes for p in split_quotes(self.number, quotes))
            return list(dict.fromkeys(told))
        found = split_passages(self.number, self.text)
        may_be_cut = len(self.text) > SURELY_WHOLE_CHARS and not self.text.rstrip().endswith(ENDS)
        return found[:-1] if may_be_cut else found


class Material:
    """A conversation's texts, each read once by its form: a number, JSON data, a source, or prose."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        own = conversation.texts
        self.data = [found for text in own.values() if (found := read_json(text)) is not None]
        self._plain = {
            name: text.strip()
            for name, text in own.items()
            if text.strip() and read_json(text) is None and not read_source(name, text)
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
        """The question, with the wishes that answers, later prose and agreed lists add to it."""
        wishes = [*self.answers, *self.prose[1:]]
        return Subject(next(iter(self.prose), ""), wishes, self.phrases)

    @cached_property
    def _before(self) -> Subject:
        """What was asked before the latest wish, where something is written on that already."""
        is_new = self.written and self.prose
        return Subject(self.prose[0] if is_new else "", self.answers if is_new else [])

    @property
    def queries(self) -> list[str]:
        """What to search for, but for what was asked before."""
        every, before = self.subject.list_queries(), self._before.list_queries()
        return [query for query in every if query not in before] or every

    @property
    def parts(self) -> list[str]:
        """The parts of a report: those that are written already, and those that are asked now."""
        known = {*self.written, *self._before.parts}
        return [*self.written, *(part for part in self.subject.parts if part not in known)]

    @cached_property
    def written(self) -> list[str]:
        """The labels of listed objects that hold another one: the sections of a report."""
        values = [v for d in self.data if isinstance(d, dict) for v in d.values()]
        listed = [e for v in values if isinstance(v, list) for e in v if list_strings(e)]
        held = [e for e in listed if any(isinstance(v, dict) and v for v in e.values())]
        return [list_strings(each)[0] for each in held]

    def tells(self, *texts: str) -> bool:
        """Tell whether an object in the data has all of some texts."""
        return any({*texts} <= {*list_strings(each)} for each in find_objects(self.data))

    @property
    def answers(self) -> list[str]:
        """The answers to questions that were put: strings behind one that asks."""
        entries = (entry for data in self.data if isinstance(data, list) for entry in data)
        told = (list_strings(entry) for entry in entries)
        return [text[-1] for text in told if any(part.endswith("?") for part in text[:-1])]

    @property
    def records(self) -> list[Json]:
        """The entries of the last list of objects."""
        lists = [d for d in self.data if isinstance(d, list) and d and isinstance(d[0], dict)]
        return lists[-1] if lists else []

    @cached_property
    def settled(self) -> Json:
        """The values that objects in the data give, by their names; lists beside a text are `related`."""
        found: Json = {}
        for data in self.data:
            if isinstance(data, dict):
                is_text = bool(list_strings(data))
                found |= {n: v for n, v in data.items() if not (is_text and isinstance(v, list))}
        return found

    @cached_property
    def related(self) -> dict[str, list[Any]]:
        """The lists of objects that have a text, too, by their names: they are of another subject than the question."""
        told = [d for d in self.data if isinstance(d, dict) and list_strings(d)]
        return {n: v for data in told for n, v in data.items() if isinstance(v, list) and v}

    @property
    def phrases(self) -> list[list[str]]:
        """The lists of strings in the objects among the data, without sentences."""
        values = (v for d in self.data if isinstance(d, dict) for v in d.values())
        lists = (v for v in values if isinstance(v, list) and v and all(map(is_text, v)))
        return [kept for v in lists if (kept := [s for s in v if s[-1] != "."])]

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
        names = self.citing
        return found or (collect_quotes(self.data, names) if names and not self.pages else [])

    @cached_property
    def citing(self) -> tuple[str, str] | None:
        """The names under which the answer quotes a source, as data given to it do."""
        schema = self.conversation.schema or {}
        found = (shape.quoting for shape in Shape(Schemas(schema), schema).walk())
        return next(filter(None, found), None)


def find_sources(texts: Texts) -> list[NumberedSource]:
    """Return the sources among fenced texts."""
    return [found for name, text in texts.items() if (found := read_source(name, text))]


def join_parts(pages: Iterable[NumberedSource]) -> list[NumberedSource]:
    """Merge pages that have the same number, joining the texts of their parts in order."""
    found: dict[int, NumberedSource] = {}
    for page in pages:
        known = found.get(page.number)
        joined = replace(known, text=f"{known.text}\n{page.text}") if known else page
        found[page.number] = joined
    return list(found.values())


def is_text(value: Any) -> bool:
    """Tell whether a value is a string with something in it."""
    return isinstance(value, str) and bool(value.strip())


def list_strings(entry: Any) -> list[str]:
    """Return the strings among an object's values."""
    return [v for v in entry.values() if is_text(v)] if isinstance(entry, dict) else []


def read_source(name: str, given: str) -> NumberedSource | None:
    """Return the source that a fenced text is, if its name ends in a number."""
    found = NUMBERED.search(name)
    if not found:
        return None
    head, gap, body = given.lstrip().partition("\n\n")
    lines = head.splitlines()
    is_about = bool(lines) and all(map(ABOUT.match, lines))
    title, *more = lines or [""]
    if not is_about and not (
        all(map(ABOUT.match, more)) and 0 < len(title) <= TITLE_CHARS and not title.startswith("#")
    ):
        gap = ""
    if not gap:
        return NumberedSource(
            int(found[1]), lines[0] if is_about else "", "" if is_about else given
        )
    values = [line.partition(": ")[2] for line in lines] if is_about else [title.strip()]
    title = next((value for value in values if "://" not in value), "")
    return NumberedSource(int(found[1]), title, body, url=values[0])


def collect_quotes(data: Any, names: tuple[str, str]) -> list[NumberedSource]:
    """Return the quotes in JSON data, which names give, as sources that say nothing else."""
    found: dict[int, dict[tuple[str, ...], None]] = {}
    for objects in group_objects(data):
        together: dict[int, list[str]] = {}
        for number, quote in (map(each.get, names) for each in objects):
            if isinstance(number, int) and isinstance(quote, str) and quote.strip():
                together.setdefault(number, []).append(quote)
        for number, quotes in together.items():
            found.setdefault(number, {})[tuple(quotes)] = None
    return [NumberedSource(n, "", "", quotes=tuple(q)) for n, q in sorted(found.items())]


def group_objects(data: Any) -> Iterator[list[Json]]:
    """Yield the objects in JSON data, those within others too; those of a list that have one text each together."""
    parts = [data] if isinstance(data, dict) else data if isinstance(data, list) else []
    objects = [part for part in parts if isinstance(part, dict)]
    is_one = all(len(list_strings(each)) == 1 for each in objects)
    yield from [objects] if is_one else ([each] for each in objects)
    for part in parts:
        for inner in part.values() if isinstance(part, dict) else [part]:
            yield from group_objects(inner)


def find_objects(data: Any) -> Iterator[Json]:
    """Yield the objects in JSON data, those within others too."""
    if isinstance(data, dict):
        yield data
        data = [*data.values()]
    for part in data if isinstance(data, list) else ():
        yield from find_objects(part)


def read_json(text: str) -> Any:
    """Return JSON data, or None where a text is no list and no object."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
