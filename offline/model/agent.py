"""The next tool calls of an agent: search, read the best pages, write down what they say."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import zip_longest

from offline.model.answer_drafts import Writer, make_statement
from offline.model.conversation import Json, ToolUse
from offline.model.extracts import Extracts
from offline.model.filler import Filler
from offline.model.material import (
    Material,
    find_objects,
    find_sources,
    list_quoted,
    list_strings,
    read_json,
)
from offline.model.schema import Schemas, Shape
from offline.text.passages import Passage
from offline.text.words import clip, count_shared, list_terms

URL = re.compile(r"(?:https?|file)://\S+")
MOST_QUERIES, QUERY_CHARS, QUERY_WORDS = 10, 300, 12
MOST_PAGES, PAGES_A_TURN, PAGES_A_QUERY, PAGES_A_PART = 12, 6, 3, 2
LABEL_CHARS = 120
STATEMENTS_A_PAGE, CHARS_A_CALL = 4, 700
NAMESPACE = "__"
"""Divides the name of somebody else's tool from its server's."""
SCALARS = {"string", "integer", "number", "boolean", "enum"}

Calls = list[tuple[str, Json]]


class OfflineAgent:
    """Decides by the structure of the tools: which takes a URL, which one string, which statements."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._turns = material.conversation.uses
        offered = material.conversation.tools.items()
        self._shapes = {name: Shape(Schemas(schema), schema) for name, schema in offered}
        self._foreign = [name for name in self._shapes if NAMESPACE in name]
        self._reader = self._find_tool(takes_url)
        self._searcher = self._find_tool(takes_query)
        self.editor = self._find_tool(takes_statements)

    def _find_tool(self, fits: Callable[[Shape], bool]) -> str:
        own = (name for name in self._shapes if NAMESPACE not in name)
        return next((name for name in own if fits(self._shapes[name])), "")

    def _list_uses(self, tool: str) -> list[ToolUse]:
        return [use for turn in self._turns for use in turn if use.name == tool]

    def choose_calls(self) -> Calls:
        """Return the tool calls of the next turn; empty if the agent should answer now.

        If the turn only writes, its last call also declares itself final, in the last property of the
        tool.
        """
        written, others = self._write(), (self._search() or self._read()) + self._try()
        if written and not others:
            name, given = written[-1]
            *_, (last, shape) = self._shapes[name].properties.items()
            written[-1] = name, given | {last: [] if shape.kind == "array" else True}
        return [*written, *others]

    def _search(self) -> Calls:
        """Search in the first turn, unless planned searches were made before it or the report is written.

        The queries are the short phrases of the data that no other one includes, else the question's.
        """
        if not self._searcher or self._turns or self._material.written:
            return []
        given = dict.fromkeys(p for phrases in self._material.phrases for p in phrases)
        short = {p: set(list_terms(p)) for p in given if len(p.split()) <= QUERY_WORDS}
        whole = [p for p, own in short.items() if not any(own < other for other in short.values())]
        queries = [clip(p, QUERY_CHARS) for p in whole] or self._material.queries
        [name] = self._shapes[self._searcher].schema["required"]
        return [(self._searcher, {name: query}) for query in queries[:MOST_QUERIES]]

    def _read(self) -> Calls:
        """Return calls that read new pages: those named by the question, then the best hits of each search."""
        if not self._reader:
            return []
        question, shape = self._material.subject.question, self._shapes[self._reader]
        own = self._material.own_parts
        terms = list_terms(" ".join(own)) or self._material.subject.terms
        named = [url.rstrip(".,;:!?)") for url in URL.findall(question)]
        sent = [use.texts.values() for use in self._list_uses(self._searcher) if not use.failed]
        label = LABEL_CHARS if own else None
        hits = (
            [url for text in told for url in find_urls(text, terms, label)][:PAGES_A_QUERY]
            for told in sent
        )
        wanted = dict.fromkeys([*named, *(u for rank in zip_longest(*hits) for u in rank if u)])
        [name] = shape.schema["required"]
        read = {use.arguments.get(name) for use in self._list_uses(self._reader)}
        most = PAGES_A_PART * len(own) or MOST_PAGES
        new = [url for url in [*wanted][:most] if url not in read]
        others = [other for other in shape.find_names("string") if other != name][:1]
        sought = dict.fromkeys(others, clip(question, QUERY_CHARS))
        return [(self._reader, {name: url} | sought) for url in new[:PAGES_A_TURN]]

    def _try(self) -> Calls:
        """Return a call of each other tool that was not used yet, with the question where it takes text."""
        new = [name for name in self._foreign if not self._list_uses(name)]
        return [(name, self._fill(self._shapes[name])) for name in new]

    def _fill(self, shape: Shape) -> Json:
        filled: Json = Filler(shape.schema, Writer(self._material)).fill()
        asked = clip(self._material.subject.title, QUERY_CHARS)
        return filled | {name: asked for name in shape.find_names("string") if name in filled}

    def _write(self) -> Calls:
        """Return calls that write statements from the last turn's pages; without a search tool, fill empty places."""
        if not self.editor or (self._turns and not self._searcher):
            return []
        material, shape = self._material, self._shapes[self.editor]
        [place, *_] = shape.find_names("enum")
        options = shape.properties[place].options
        takes_figures = any(i.carrying or i.quoting for _, i in shape.list_items())
        headings = options[:-1] if takes_figures else options  # the last place is for them
        headings = [each for each in headings if each in material.own_parts] or headings
        last = (self._turns or [[]])[-1]
        new = {page.number for use in last for page in find_sources(use.texts)}
        pages = [page for page in material.pages if page.number in new]
        name, items = next((n, i) for n, i in shape.list_items() if i.citing)
        given, most = pages if self._searcher else material.sources, STATEMENTS_A_PAGE
        if not self._searcher:
            pair = items.properties[items.citing].items
            quoted = list_quoted(material.data, pair.quoting if pair else ())
            if not given or any(passage.name for source in quoted for passage in source.passages):
                given, most = quoted, most * len(headings)
        found = Extracts(material.subject, given).sort_by_heading(headings, most)
        known, calls = "" if self._searcher else json.dumps(material.data), Calls()
        for heading, passages in found.items():
            if heading in material.written and not self._searcher:
                continue
            fresh = [p for p in passages if p.name or json.dumps(p.plain) not in known]
            said = [[make_statement(items, p) for p in part] for part in split_batches(fresh)]
            calls += [(self.editor, {place: heading, name: each}) for each in said]
            lack = Writer(material).describe_lack(heading)
            if not (fresh or self._searcher or lack in known):
                calls += [(self.editor, {place: heading, shape.find_names("string")[0]: lack})]
        return calls


def takes_url(shape: Shape) -> bool:
    """Return whether a tool's only required argument is a URL."""
    needed = shape.schema.get("required", [])
    return len(needed) == 1 and shape.properties[needed[0]].schema.get("format") == "uri"


def takes_query(shape: Shape) -> bool:
    """Return whether a tool takes one free string, and else only scalars that may be left out."""
    needed = [shape.properties[name] for name in shape.schema.get("required", [])]
    is_free = len(needed) == 1 and needed[0].kind == "string" and "format" not in needed[0].schema
    return is_free and {each.kind for each in shape.properties.values()} <= SCALARS


def takes_statements(shape: Shape) -> bool:
    """Return whether a tool takes statements that quote sources, for one of several places."""
    return bool(shape.find_names("enum")) and any(items.citing for _, items in shape.list_items())


def find_urls(text: str, terms: list[str], most: int | None = None) -> Iterator[str]:
    """Yield the URL of each object in JSON data that mentions one of the terms or is a user's file.

    With `most`, look for the terms only in strings of at most that many characters.
    """
    for each in find_objects(read_json(text)):
        strings = list_strings(each)
        urls = [value for value in strings if URL.fullmatch(value)]
        labels = " ".join(value for value in strings if most and len(value) <= most)
        told = labels if most else json.dumps(each, ensure_ascii=False)
        is_own = any(url.startswith("file:") for url in urls[:1])
        yield from urls[:1] if is_own or count_shared(terms, told) else ()


def split_batches(passages: list[Passage]) -> list[list[Passage]]:
    """Return passages in batches of a bounded length."""
    batches: list[list[Passage]] = []
    for passage in passages:
        if not batches or sum(len(p.plain) for p in [*batches[-1], passage]) > CHARS_A_CALL:
            batches.append([])
        batches[-1].append(passage)
    return batches
