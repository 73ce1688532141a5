"""The next tool calls of an agent: search, read what bears on the question, write it down."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from offline.model.conversation import Json, ToolUse
from offline.model.extracts import Extracts
from offline.model.material import (
    Material,
    NumberedSource,
    find_objects,
    find_sources,
    list_strings,
    read_json,
)
from offline.model.schema import Schemas, Shape
from offline.model.writer import Writer, draft_cell, draft_table, has_rows, make_statement
from offline.text.passages import Passage
from offline.text.words import clip

URL = re.compile(r"(?:https?|file)://\S+")
MOST_QUERIES, QUERIES_A_TURN, QUERY_CHARS, QUERY_WORDS = 18, 10, 300, 12
MOST_PAGES, PAGES_A_TURN, PAGES_A_QUERY = 12, 6, 3
STATEMENTS_A_PAGE, CHARS_A_CALL = 4, 700
SCALARS = {"string", "integer", "number", "boolean", "enum"}

Calls = list[tuple[str, Json]]
ByHeading = dict[str, list[Passage]]


class OfflineAgent:
    """Decides by the structure of the tools: which takes a URL, which one string, which statements."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._subject = material.subject
        self._turns = material.conversation.uses
        offered = material.conversation.tools.items()
        self._shapes = {name: Shape(Schemas(schema), schema) for name, schema in offered}
        self._reader = self._find_tool(takes_url)
        self._searcher = self._find_tool(takes_query)
        self.writer = self._find_tool(takes_statements)

    def _find_tool(self, fits: Callable[[Shape], bool]) -> str:
        return next((name for name, shape in self._shapes.items() if fits(shape)), "")

    def _list_uses(self, tool: str) -> list[ToolUse]:
        return [use for turn in self._turns for use in turn if use.name == tool]

    def choose_calls(self) -> Calls:
        """Return the calls of the next turn; none where the answer is due."""
        return [*self._write(), *(self._search() or self._read())] or self._tabulate()

    @property
    def has_written(self) -> bool:
        """Tell whether it has written down by a tool what it found."""
        return any(not use.failed for use in self._list_uses(self.writer))

    def _search(self) -> Calls:
        """Search in the first turn, and go on after a full one; fewer were planned so."""
        sent = self._list_uses(self._searcher)
        if not self._searcher or 0 < len(sent) < QUERIES_A_TURN:
            return []
        [name] = self._shapes[self._searcher].schema["required"]
        queries = [clip(query, QUERY_CHARS) for query in self._list_queries()]
        told = {use.arguments.get(name) for use in sent}
        new = [query for query in queries if query not in told]
        return [(self._searcher, {name: query}) for query in new[:QUERIES_A_TURN]]

    def _list_queries(self) -> list[str]:
        """Return what to search for: the given lists' phrases and the question's, none twice."""
        own = self._material.queries
        given = [phrase for phrases in self._material.phrases for phrase in phrases]
        short = [p for p in given if len(p.split()) <= QUERY_WORDS and p[-1] != "?"]
        stems = {query: self._stems(query) for query in [*short, *own]}
        kept: dict[frozenset[str], str] = {}
        for query, found in stems.items():
            is_within = any(found < other for other in stems.values())
            if found and (query in own or not is_within):
                kept.setdefault(found, query)
        return list(kept.values())[:MOST_QUERIES]

    def _stems(self, text: str) -> frozenset[str]:
        return self._subject.language.list_stems(text)

    def _read(self) -> Calls:
        if not self._reader:
            return []
        shape = self._shapes[self._reader]
        [name] = shape.schema["required"]
        read = {use.arguments.get(name) for use in self._list_uses(self._reader)}
        wanted = [url for url in self._list_wanted()[:MOST_PAGES] if url not in read]
        others = [other for other in shape.find_names("string") if other != name][:1]
        sought = dict.fromkeys(others, clip(self._subject.question, QUERY_CHARS))
        return [(self._reader, {name: url} | sought) for url in wanted[:PAGES_A_TURN]]

    def _list_wanted(self) -> list[str]:
        """Return the pages that the question names, then every search's best, then the next."""
        sent = [use.texts.values() for use in self._list_uses(self._searcher) if not use.failed]
        lists = [[page for text in told for page in find_pages(read_json(text))] for told in sent]
        every = {page.url: page for pages in lists for page in reversed(pages) if page.title}
        titles = [replace(page, number=n, text="") for n, page in enumerate(every.values())]
        extracts, stems = Extracts(self._subject, titles), self._stems
        relevant = {
            page.url
            for page in every.values()
            if extracts.is_relevant(stems(f"{page.title} {page.text}"), stems(page.title))
        }
        best = [[p.url for p in pages if p.url in relevant][:PAGES_A_QUERY] for pages in lists]
        named = [url.rstrip(".,;:!?)") for url in URL.findall(self._subject.question)]
        mixed = [url for rank in zip_longest(*best) for url in rank if url]
        asked = self._subject.stems | self._subject.names
        files = [page for page in every.values() if page.is_own]
        own = [page.url for page in files if asked & stems(f"{page.title} {page.text}")]
        return list(dict.fromkeys([*named, *own, *mixed]))

    def _write(self) -> Calls:
        """Write down pages as they are read; given them all, what lacks and what is compared."""
        if not self.writer or (self._turns and not self._searcher):
            return []
        if not self._searcher:
            return self._complete()
        new = {page.number for use in (self._turns or [[]])[-1] for page in find_sources(use.texts)}
        found = self._sort_passages(self._material.pages).items()
        return self._write_statements({h: [p for p in ps if p.source in new] for h, ps in found})

    def _sort_passages(self, pages: list[NumberedSource]) -> ByHeading:
        takes_figures = any(
            i.carrying or i.quoting for _, i in find_lists(self._shapes[self.writer])
        )
        headings = self._places[:-1] if takes_figures else self._places
        return Extracts(self._subject, pages).sort_by_heading(headings, STATEMENTS_A_PAGE)

    @property
    def _places(self) -> list[str]:
        """The places that the writing tool takes; of one that takes figures, the last is for them."""
        shape = self._shapes[self.writer]
        return [*map(str, shape.properties[shape.find_names("enum")[0]].schema["enum"])]

    def _make_entry(self, place: str, name: str, value: Any) -> tuple[str, Json]:
        return self.writer, {self._shapes[self.writer].find_names("enum")[0]: place, name: value}

    def _write_statements(self, found: ByHeading) -> Calls:
        """Return calls that write statements, each of a bounded length."""
        name, items = next((n, i) for n, i in find_lists(self._shapes[self.writer]) if i.citing)
        return [
            self._make_entry(heading, name, [make_statement(items, passage) for passage in batch])
            for heading, passages in found.items()
            for batch in split_batches(passages)
        ]

    def _complete(self) -> Calls:
        known = json.dumps(self._material.data)
        found = self._sort_passages(self._material.sources).items()
        written, tells = self._material.written, self._material.tells
        said = {h for h, ps in found if any(json.dumps(p.brief) in known for p in ps)}
        fresh = {h: ps for h, ps in found if h not in said or h not in written}
        writer, shape = Writer(self._material), self._shapes[self.writer]
        empty = [h for h, passages in fresh.items() if not passages and h not in written]
        remarks = [(h, lack) for h in empty if not tells(h, lack := writer.describe_lack(h))]
        figures = [
            self._make_entry(self._places[-1], name, [draft_cell(items, label, c) for c in new])
            for name, items in find_lists(shape)
            if items.carrying or items.quoting
            for label, row in writer.extracts.grid.items()
            if (new := [c for c in row.values() if not tells(label, c.of, c.value)])
        ]
        names = shape.find_names("string")[:1]
        told = [self._make_entry(h, name, lack) for name in names for h, lack in remarks]
        return [*self._write_statements(fresh), *told, *figures]

    def _tabulate(self) -> Calls:
        """Set given figures side by side, with a tool that takes a table."""
        grid = Writer(self._material).extracts.grid
        if not grid or self._turns or self._searcher or self.writer:
            return []
        tables = [(name, shape) for name, shape in self._shapes.items() if has_rows(shape)]
        return [(n, draft_table(shape, grid, self._subject.compared)) for n, shape in tables]


def takes_url(shape: Shape) -> bool:
    """Tell whether a tool takes an address and needs nothing else."""
    needed = shape.schema.get("required", [])
    return len(needed) == 1 and shape.properties[needed[0]].schema.get("format") == "uri"


def takes_query(shape: Shape) -> bool:
    """Tell whether a tool takes one free string, and else only scalars that may be left out."""
    needed = [shape.properties[name] for name in shape.schema.get("required", [])]
    is_free = len(needed) == 1 and needed[0].kind == "string" and "format" not in needed[0].schema
    return is_free and {each.kind for each in shape.properties.values()} <= SCALARS


def takes_statements(shape: Shape) -> bool:
    """Tell whether a tool takes statements that quote sources, for one of several places."""
    return bool(shape.find_names("enum")) and any(items.citing for _, items in find_lists(shape))


def find_lists(shape: Shape) -> Iterator[tuple[str, Shape]]:
    """Yield the lists of an object, each with the shape of its items."""
    yield from ((name, each.items) for name, each in shape.properties.items() if each.items)


def find_pages(data: Any) -> Iterator[NumberedSource]:
    """Yield every object in JSON data that has an address among its strings, as a page in short."""
    for each in find_objects(data):
        texts = [value for value in each.values() if isinstance(value, str)]
        if url := next((text for text in texts if URL.fullmatch(text)), None):
            [title, *words] = [*(text for text in texts if text != url), ""]
            lists = (value for value in each.values() if isinstance(value, list))
            words += (text for held in lists for part in held for text in list_strings(part))
            yield NumberedSource(0, title, " ".join(words), url=url)


def split_batches(passages: list[Passage]) -> Iterator[list[Passage]]:
    """Yield passages in batches of a bounded length."""
    batch: list[Passage] = []
    for passage in passages:
        if batch and sum(len(p.brief) for p in [*batch, passage]) > CHARS_A_CALL:
            yield batch
            batch = []
        batch.append(passage)
    if batch:
        yield batch
