"""Styles of a Word document: hidden, struck-out and superscript text, and headings."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from lxml import etree

from activities.parsing.office.package import is_on, read_int

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading ([1-9])$")
_TITLES = frozenset(["title"])
_MAX_LEVEL = 6
_TOGGLES = ("vanish", "strike", "dstrike")
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
MIN_RAISE = 4
"""Half points that a line is raised by, from which on a run is a mark above the line."""


@dataclass
class Style:
    """A paragraph or character style, including inherited properties."""

    toggles: dict[str, bool] = field(default_factory=dict)
    align: str = ""
    level: int = 0
    """Heading level, from 1; 0 for a style that is not a heading's."""
    is_title: bool = False
    num_id: str = ""
    num_level: int = 0


NO_STYLE = Style()


class Styles:
    """The styles of a document, by their ids."""

    def __init__(self, root: Any = None) -> None:
        found = [] if root is None else root.iter(f"{W}style")
        self._elements = {each.get(f"{W}styleId"): each for each in found}
        self._resolved: dict[str, Style] = {}
        default = (
            name
            for name, each in self._elements.items()
            if each.get(f"{W}type") == "paragraph" and is_on(each.get(f"{W}default"), missing=False)
        )
        self.default = next(default, "")

    def get(self, name: str | None) -> Style:
        """Return a style by name; an unknown name has the empty style."""
        if not name or name not in self._elements:
            return NO_STYLE
        if name not in self._resolved:
            for each in reversed(self._list_bases(name)):
                self._resolve(each)
        return self._resolved[name]

    def _list_bases(self, name: str) -> list[str]:
        """Return a style and those that it is based on, the nearest first; a ring ends."""
        chain: list[str] = []
        while name in self._elements and name not in chain and name not in self._resolved:
            chain.append(name)
            name = get_value(self._elements[name], "basedOn") or ""
        return chain

    def _resolve(self, name: str) -> None:
        element = self._elements[name]
        base = self._resolved.get(get_value(element, "basedOn") or "", NO_STYLE)
        run, paragraph = element.find(f"{W}rPr"), element.find(f"{W}pPr")
        style = replace(base, toggles=dict(base.toggles))
        for toggle in _TOGGLES:
            if run is not None and (found := run.find(f"{W}{toggle}")) is not None:
                style.toggles[toggle] = is_on(found.get(f"{W}val"))
        style.align = read_align(run) or base.align
        label = (get_value(element, "name") or "").casefold()
        if heading := _HEADING.match(label):
            style.level = min(int(heading[1]), _MAX_LEVEL)
        elif label in _TITLES:
            style.level, style.is_title = 1, True
        elif (outline := read_outline(paragraph)) is not None:
            style.level = outline
        if paragraph is not None and (numbered := paragraph.find(f"{W}numPr")) is not None:
            style.num_id = get_value(numbered, "numId") or base.num_id
            style.num_level = read_int(get_value(numbered, "ilvl"), base.num_level)
        self._resolved[name] = style


def read_outline(paragraph: Any) -> int | None:
    """Return the heading level in a paragraph's properties: 1 to 6, 0 for body text, None if unset."""
    level = get_value(paragraph, "outlineLvl") if paragraph is not None else None
    if level is None:
        return None
    number = read_int(level, 9)
    return min(number + 1, _MAX_LEVEL) if 0 <= number < 9 else 0


def read_align(run: Any) -> str:
    """Return a run's vertical alignment: `superscript`, `subscript`, another stated value, or empty."""
    if run is None:
        return ""
    align = get_value(run, "vertAlign") or ""
    if align in {"superscript", "subscript", "baseline"}:
        return align
    moved = read_int(get_value(run, "position"), 0)
    if abs(moved) < MIN_RAISE:
        return ""
    return "superscript" if moved > 0 else "subscript"


def get_value(parent: Any, name: str) -> str | None:
    """Return the value of a property below an element."""
    found = parent.find(f"{W}{name}")
    value: str | None = None if found is None else found.get(f"{W}val")
    return value


def find_paragraph(element: Any) -> Any:
    """Return the innermost paragraph around an element; None outside of any."""
    return next(element.iterancestors(f"{W}p"), None)


def make_text(text: str) -> Any:
    """Return a text of a run, with the spaces at its ends."""
    element = etree.Element(f"{W}t")
    element.text = text
    element.set(_SPACE, "preserve")
    return element


def make_run(text: str) -> Any:
    """Return a run of plain text."""
    run = etree.Element(f"{W}r")
    run.append(make_text(text))
    return run
