"""The next tool calls of an agent: search, read what bears on the question, write it down."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from offline.model.conversation import Json, ToolOffer, ToolUse
from offline.model.extracts import Extracts
from offline.model.material import Material, sources_in
from offline.model.schema import Schemas, Shape
from offline.model.source import NumberedSource, parts_of, read_json
from offline.model.writer import Writer, cell_draft, grid_draft, has_rows, states, value_of
from offline.text.passages import Passage
from offline.text.words import clip

URL = re.compile(r"https?://\S+")
MOST_QUERIES, QUERIES_A_TURN, QUERY_CHARS, QUERY_WORDS = 18, 10, 300, 12
MOST_PAGES, PAGES_A_TURN, PAGES_A_QUERY = 12, 6, 3
STATEMENTS_A_PAGE, CHARS_A_CALL = 4, 700

Calls = list[tuple[str, Json]]


@dataclass(frozen=True)
class ListedPage:
    """A page as a search lists it."""

    url: str
    title: str
    words: str


class OfflineAgent:
    """Decides by the structure of the tools: which takes a URL, which one string, which statements."""

    def __init__(self, material: Material) -> None:
        self._material = material
        offers = material.conversation.tools
        self._shapes = {offer.name: shape_of(offer) for offer in offers}
        self._reader = self._first(takes_url)
        self._searcher = self._first(takes_query)
        self._writer = self._first(takes_statements)
        self._uses = [use for turn in material.conversation.uses for use in turn]

    def _first(self, fits: Any) -> str | None:
        return next((name for name, shape in self._shapes.items() if fits(shape)), None)

    @property
    def has_written(self) -> bool:
        """Tell whether it writes down by a tool what it finds."""
        return self._writer is not None

    def calls(self) -> Calls:
        """Return the calls of the next turn; none where the answer is due."""
        return [*self._writing(), *(self._searching() or self._reading())] or self._making()

    def _searching(self) -> Calls:
        if self._searcher is None:
            return []
        sent = sum(use.name == self._searcher for use in self._uses)
        [name] = self._shapes[self._searcher].schema["required"]
        queries = self._queries()[sent : sent + QUERIES_A_TURN]
        return [(self._searcher, {name: clip(query, QUERY_CHARS)}) for query in queries]

    def _queries(self) -> list[str]:
        """Return what to search for: the given lists' phrases and the question's, none twice."""
        subject = self._material.subject
        given = [phrase for phrases in self._material.phrases for phrase in phrases]
        short = [p for p in given if len(p.split()) <= QUERY_WORDS and not p.endswith(("?", "."))]
        stems = {query: subject.language.stems(query) for query in [*short, *subject.queries()]}
        kept: dict[frozenset[str], str] = {}
        for query, own in stems.items():
            is_within = any(own < other for other in stems.values())
            if own and (query in subject.queries() or not is_within):
                kept.setdefault(own, query)
        return list(kept.values())[:MOST_QUERIES]

    def _reading(self) -> Calls:
        if self._reader is None:
            return []
        [name] = self._shapes[self._reader].schema["required"]
        read = {text for use in self._uses if use.name == self._reader for text in use.strings}
        wanted = [url for url in self._wanted()[:MOST_PAGES] if url not in read]
        return [(self._reader, {name: url}) for url in wanted[:PAGES_A_TURN]]

    def _wanted(self) -> list[str]:
        """Return the listed pages that bear on the question: every search's best, then the next."""
        sent = [use for use in self._uses if use.name == self._searcher and not use.failed]
        lists = [list(listed_in(use)) for use in sent]
        every = {page.url: page for pages in lists for page in reversed(pages) if page.title}
        numbers = {url: n for n, url in enumerate(every, start=1)}
        sources = [NumberedSource(n, every[url].title, "") for url, n in numbers.items()]
        extracts, stems = Extracts(self._material.subject, sources), self._stems
        relevant = {
            page.url
            for page in every.values()
            if extracts.is_relevant(stems(f"{page.title} {page.words}"), stems(page.title))
        }
        best = [[p.url for p in pages if p.url in relevant][:PAGES_A_QUERY] for pages in lists]
        mixed = [url for rank in zip_longest(*best) for url in rank if url]
        return list(dict.fromkeys([*self._named(), *mixed]))

    def _named(self) -> list[str]:
        """Return the addresses that the question itself names."""
        return [url.rstrip(".,;:!?)") for url in URL.findall(self._material.subject.question)]

    def _stems(self, text: str) -> frozenset[str]:
        return self._material.subject.language.stems(text)

    def _writing(self) -> Calls:
        """Write down pages as they are read; given them all, what is compared and what lacks."""
        if self._writer is None:
            return []
        turns = self._material.conversation.uses
        if self._searcher is None:
            return [] if turns else self._completing(self._writer)
        new = {n for use in turns[-1] for n in numbers_in(use)} if turns else set()
        pages = [page for page in self._material.pages if page.number in new and page.text.strip()]
        return self._entries(self._writer, self._found(pages))

    def _found(self, pages: list[NumberedSource]) -> dict[str, list[Passage]]:
        """Return the passages of pages that bear on the question, by the heading they fit best."""
        extracts = Extracts(self._material.subject, pages)
        found: dict[str, list[Passage]] = {heading: [] for heading in self._headings}
        for page in pages:
            best = [p for p in extracts.ranked if p.source == page.number][:STATEMENTS_A_PAGE]
            for passage in best:
                found[self._heading_of(passage, page.title)].append(passage)
        return found

    @property
    def _headings(self) -> list[str]:
        """The places that the writing tool takes, but for the last, which takes figures."""
        return self._places[:-1] or self._places

    @property
    def _places(self) -> list[str]:
        shape = self._shapes[self._writer or ""]
        [name, *_] = shape.named("enum")
        return [str(place) for place in shape.properties[name].schema["enum"]]

    def _heading_of(self, passage: Passage, title: str) -> str:
        own = self._stems(f"{passage.plain} {title}")
        return max(self._headings, key=lambda heading: len(own & self._stems(heading)))

    def _entries(self, tool: str, found: dict[str, list[Passage]]) -> Calls:
        """Return calls that write statements, each of a bounded length."""
        shape = self._shapes[tool]
        [place, *_] = shape.named("enum")
        name, items = next((n, i) for n, i in lists_of(shape) if i.citing)
        write = Writer(self._material).statement
        return [
            (tool, {place: heading, name: [write(items, passage) for passage in batch]})
            for heading, passages in found.items()
            for batch in batches(passages)
        ]

    def _completing(self, tool: str) -> Calls:
        """Return calls for what can only be seen with every page at hand."""
        writer, shape = Writer(self._material), self._shapes[tool]
        [place, *_] = shape.named("enum")
        known = {text for data in self._material.data for text in texts_in(data)}
        fresh = {
            heading: writer.extracts.of(heading, STATEMENTS_A_PAGE)
            for heading in self._headings
            if not known
            & {p.brief for p in writer.extracts.of(heading, len(writer.extracts.ranked))}
        }
        calls = self._entries(tool, fresh)
        lacking = [heading for heading, passages in fresh.items() if not passages]
        [missing, *_] = [*shape.named("string"), ""]
        if missing:
            calls += [(tool, {place: each, missing: writer.nothing_on(each)}) for each in lacking]
        return [*calls, *self._comparing(tool, writer)]

    def _comparing(self, tool: str, writer: Writer) -> Calls:
        shape = self._shapes[tool]
        [place, *_] = shape.named("enum")
        name, items = next(((n, i) for n, i in lists_of(shape) if i.quoting), ("", None))
        if items is None:
            return []
        rows = [
            [cell_draft(items, cell.value, cell.passage, (label, of)) for of, cell in row.items()]
            for label, row in writer.extracts.grid.items()
        ]
        return [(tool, {place: self._places[-1], name: row}) for row in rows[:MOST_PAGES]]

    def _making(self) -> Calls:
        """Set given figures side by side by the tools that take a table or a series of numbers."""
        if self._uses or self._searcher or self._writer:
            return []
        subject, grid = self._material.subject, Writer(self._material).extracts.grid
        calls: Calls = []
        for name, shape in self._shapes.items():
            if has_rows(shape):
                draft = grid_draft(shape, grid, subject.compared)
                calls += [(name, draft)] if draft else []
            elif series := next((n for n, i in lists_of(shape) if i.lists("number")), None):
                calls += [(name, d) for d in series_drafts(shape, series, grid, subject.compared)]
        return calls


def shape_of(offer: ToolOffer) -> Shape:
    """Return the shape of what a tool takes."""
    return Shape(Schemas(offer.schema), offer.schema)


def takes_url(shape: Shape) -> bool:
    """Tell whether a tool takes an address and needs nothing else."""
    needed = shape.schema.get("required", [])
    return len(needed) == 1 and shape.properties[needed[0]].schema.get("format") == "uri"


def takes_query(shape: Shape) -> bool:
    """Tell whether a tool takes one free string, and else only scalars that may be left out."""
    needed = shape.schema.get("required", [])
    scalars = {"string", "integer", "number", "boolean", "enum"}
    is_flat = {each.kind for each in shape.properties.values()} <= scalars
    return len(needed) == 1 and is_flat and is_free(shape.properties[needed[0]])


def is_free(shape: Shape) -> bool:
    """Tell whether a string may be any text."""
    return shape.kind == "string" and "format" not in shape.schema


def takes_statements(shape: Shape) -> bool:
    """Tell whether a tool takes statements that quote sources, for one of several places."""
    return bool(shape.named("enum")) and any(i.citing for _, i in lists_of(shape)) and states(shape)


def lists_of(shape: Shape) -> Iterator[tuple[str, Shape]]:
    """Yield the lists of an object, each with the shape of its items."""
    yield from ((name, each.items) for name, each in shape.properties.items() if each.items)


def listed_in(use: ToolUse) -> Iterator[ListedPage]:
    """Yield the pages that a tool's result lists, as JSON or as text."""
    for text in use.texts.values() or [use.text]:
        data = read_json(text)
        if data is None:
            found = ((URL.search(part), part) for part in text.split("\n\n"))
            yield from (ListedPage(url[0], p.splitlines()[0], p) for url, p in found if url)
        else:
            yield from with_url(data)


def with_url(data: Any) -> Iterator[ListedPage]:
    """Yield every object in JSON data that has an address among its strings."""
    if isinstance(data, dict):
        texts = [value for value in data.values() if isinstance(value, str)]
        url = next((text for text in texts if URL.fullmatch(text)), None)
        if url:
            [title, *words] = [*(text for text in texts if text != url), ""]
            yield ListedPage(url, title, " ".join(words))
            return
    for part in parts_of(data):
        yield from with_url(part)


def numbers_in(use: ToolUse) -> set[int]:
    """Return the numbers of the sources in a tool's result."""
    return set() if use.failed else {source.number for source in sources_in(use.texts)}


def batches(passages: list[Passage]) -> Iterator[list[Passage]]:
    """Yield passages in batches of a bounded length."""
    batch: list[Passage] = []
    for passage in passages:
        if batch and sum(len(p.brief) for p in [*batch, passage]) > CHARS_A_CALL:
            yield batch
            batch = []
        batch.append(passage)
    if batch:
        yield batch


def texts_in(data: Any) -> Iterator[str]:
    """Yield every string in JSON data."""
    if isinstance(data, str):
        yield data
    for part in parts_of(data):
        yield from texts_in(part)


def series_drafts(shape: Shape, name: str, grid: Any, columns: list[str]) -> Iterator[Json]:
    """Yield what a chart takes of the first measure that has a number of everything compared."""
    for label, row in grid.items():
        values = [
            value_of(row[of].passage.figures[0]) if of in row and row[of].passage.figures else None
            for of in columns
        ]
        if None in values:
            continue
        items = shape.properties[name].items
        assert items is not None
        [own], [numbers] = items.named("string"), items.lists("number")
        axis = next(n for n, each in shape.properties.items() if each.kind == "array" and n != name)
        needed = [n for n in shape.named("string") if shape.requires(n)]
        labels = dict.fromkeys(needed, label)
        kinds = {n: shape.properties[n].schema["enum"][-1] for n in shape.named("enum")}
        yield labels | kinds | {axis: columns, name: [{own: label, numbers: values}]}
        return
