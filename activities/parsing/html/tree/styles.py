"""The styles of a page's elements: inline, and those of simple selectors in its style sheets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from lxml.etree import XPath

from activities.parsing.html.tree.declarations import (
    CAUSES,
    NO_STYLE,
    Declarations,
    ReadStyle,
    find_cause,
    parse_ranked,
    parse_style,
)

MAX_RULES = 2_000
MAX_RULES_A_NAME = 40
MAX_RULES_AN_ELEMENT = 100
"""The greatest ones are read; a page of fifty classes an element would take seconds otherwise."""
MAX_NESTED = 5
MAX_SELECTORS, MAX_SELECTOR_CHARS = 50, 2_000
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACE = re.compile(r"[{}]")
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?((?:[.#][\w-]{1,80}){0,4})", re.IGNORECASE)
_NAMES = re.compile(r"([.#][\w-]{1,80})")
_FOR_SCREEN_READERS = re.compile(
    r"sr[-_]?only|screen[-_]?reader|visually[-_]?hidden|offscreen", re.IGNORECASE
)
_ALWAYS = re.compile(r"@media\s+(?:screen|all)\s*|@layer\b[^(]*", re.IGNORECASE)
_READ = CAUSES.keys() | {
    *("vertical-align", "background", "background-color", "background-clip"),
    *("-webkit-background-clip", "animation", "animation-name", "transition"),
}
"""Properties that bear on how an element's text is read."""
_STYLED, _NAMED = (
    XPath(f"/descendant::{tags}")  # `//` with a condition asks each element for its children
    for tags in ("*[@style]", "*[@class or @id]")
)
_CLASSES, _IDS = (XPath(f"/descendant::*/@{name}", smart_strings=False) for name in ("class", "id"))


@dataclass(frozen=True)
class _Rule:
    """Declarations for the elements of a tag that have these classes and ids; that of the greatest rank counts."""

    rank: tuple[bool, int, int, int, int]
    """Whether it is important, its ids, classes and tags, and its place."""
    tag: str
    names: frozenset[str]
    style: Declarations
    cause: str
    """The property by which it hides text."""


class _Ruled(NamedTuple):
    """What rules set for an element."""

    usual: Declarations
    important: Declarations
    causes: frozenset[str]
    """Properties by which a single rule hides the element; a combination of rules does not count as certain."""


class StyleSheet:
    """A page's rules that certainly apply: those for a tag, classes and ids alone.

    Nothing is certainly hidden if another rule may show it, e.g. at another width or in another state.
    """

    def __init__(self, css: str) -> None:
        """Parse style sheets in linear time, up to a number of rules."""
        self.rules: dict[str, list[_Rule]] = {}
        self._shown: set[tuple[str, str]] = set()
        self._known: dict[tuple[str, str, str], _Ruled] = {}
        for n, rule in enumerate(islice(_list_rules(_COMMENT.sub("", css)), MAX_RULES)):
            selectors, style, is_sure = rule
            for selector in selectors.split(",")[:MAX_SELECTORS]:
                self._add(selector.strip(), style, n, is_sure=is_sure)

    def _add(self, selector: str, style: str, place: int, *, is_sure: bool) -> None:
        simple = _SIMPLE.fullmatch(selector) if is_sure and selector else None
        names = _NAMES.findall(selector.rpartition(" ")[2])
        if not simple or len(names) > 1:
            self._note_shown(names, parse_style(style))
        if not simple or _FOR_SCREEN_READERS.search(selector):
            return
        known = self.rules.setdefault(names[-1] if names else selector.lower(), [])
        tag, ids = (simple[1] or "").lower(), sum(name[0] == "#" for name in names)
        for is_important, declared in enumerate(parse_ranked(style)):
            rank = bool(is_important), ids, len(names) - ids, int(bool(tag)), place
            read = {name: declared[name] for name in declared.keys() & _READ}
            if read and len(known) < MAX_RULES_A_NAME:
                known.append(_Rule(rank, tag, frozenset(names), read, find_cause(read)))

    def _note_shown(self, names: list[str], style: Declarations) -> None:
        """Note what elements of these names show in some state."""
        for each, value in style.items():
            if each in CAUSES and not find_cause({each: value}):
                self._shown.update((name, CAUSES[each]) for name in names)

    def read(self, tag: Any, own: Declarations) -> ReadStyle:
        """Return an element's style, of which `own` is the inline part."""
        ruled = self._compute(tag)
        found = ReadStyle.of(ruled.usual | own | ruled.important)
        is_sure = found.cause == find_cause(own) or (
            found.cause in ruled.causes and not self._may_show(tag, found.cause)
        )
        cause = found.cause if is_sure else ""
        return ReadStyle(found.declared, cause, is_white=found.is_white and "color" in own)

    def _may_show(self, tag: Any, cause: str) -> bool:
        names = [*_list_names(tag.get("class") or ""), f"#{tag.get('id')}"]
        return any((name, cause) in self._shown for name in names)

    def _compute(self, tag: Any) -> "_Ruled":
        """Return what rules set for an element."""
        name = f"#{tag.get('id')}"
        about = tag.tag, tag.get("class") or "", name if name in self.rules else ""
        if about not in self._known:
            listed = [*_list_names(about[1]), about[2]]
            names = frozenset(listed)
            fitting = [
                rule
                for key in {*listed, tag.tag}
                for rule in self.rules.get(key, ())
                if rule.names <= names and rule.tag in {"", tag.tag}
            ]
            fitting = nlargest(MAX_RULES_AN_ELEMENT, fitting, key=attrgetter("rank"))
            usual: Declarations = {}
            important: Declarations = {}
            for rule in reversed(fitting):
                (important if rule.rank[0] else usual).update(rule.style)
            causes = frozenset(rule.cause for rule in fitting)
            self._known[about] = _Ruled(usual, important, causes)
        return self._known[about]


class PageStyles:
    """The styles of a page's elements, read once."""

    def __init__(self, tree: Any) -> None:
        css = "\n".join(_list_sheets(tree))
        self.sets_grounds = "background" in css
        self._sheet = StyleSheet(css)
        self._inline: dict[str, Declarations] = {}
        self._read: dict[Any, ReadStyle] = {}
        for tag in [*_STYLED(tree), *self._list_ruled(tree)]:
            self._read[tag] = self._sheet.read(tag, self._parse(tag.get("style") or ""))

    def __iter__(self) -> Iterator[tuple[Any, ReadStyle]]:
        """Yield the styled elements."""
        return iter(self._read.items())

    def get(self, tag: Any) -> ReadStyle:
        """Return the style of an element."""
        return self._read.get(tag, NO_STYLE)

    def _parse(self, style: str) -> Declarations:
        if style not in self._inline:
            self._inline[style] = parse_style(style)
        return self._inline[style]

    def _list_ruled(self, tree: Any) -> Iterator[Any]:
        """Yield the elements that rules may be for."""
        rules = self._sheet.rules
        tags = [key for key in rules if key[:1] not in {".", "#", ""}]
        if tags:
            yield from tree.iter(*tags)
        if len(rules) > len(tags):
            names = {name for classes in {*_CLASSES(tree)} for name in _list_names(classes)}
            if not rules.keys().isdisjoint(names.union(f"#{each}" for each in _IDS(tree))):
                yield from _NAMED(tree)


def _list_names(classes: str) -> list[str]:
    """Return the names of an element's classes as selectors write them."""
    return [f".{each}" for each in classes.split()[:MAX_SELECTORS]]


def _list_sheets(tree: Any) -> Iterator[str]:
    for tag in tree.iter("style"):
        is_for_screens = (tag.get("media") or "all").lower() in {"all", "screen"}
        parent = tag.getparent()
        if is_for_screens and tag.text and (parent is None or parent.tag != "noscript"):
            yield tag.text


def _list_rules(css: str) -> Iterator[tuple[str, str, bool]]:
    """Yield selectors, the declarations of those that are read, and whether they apply on every screen."""
    opened: list[str] = []
    start = 0
    for brace in _BRACE.finditer(css):
        text, start = css[start : brace.start()], brace.end()
        if brace.group() == "{":
            opened.append(text.rpartition(";")[2].strip()[:MAX_SELECTOR_CHARS])
        elif opened:
            selectors = opened.pop()
            style = {} if selectors.startswith("@") else parse_style(text)
            if style.keys() & _READ:
                is_sure = len(opened) < MAX_NESTED and all(map(_ALWAYS.fullmatch, opened))
                yield selectors, text, is_sure
