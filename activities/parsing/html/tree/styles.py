"""Styles that hide or strike out text: inline, and those of simple selectors in a page's style sheets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

Declarations = dict[str, str]

WHITE = "white"
MAX_RULES = 2_000
MAX_RULES_A_NAME = 20
MAX_NESTED = 5
MAX_SELECTORS, MAX_SELECTOR_CHARS = 50, 2_000
_FAR_PIXELS = -999.0
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACE = re.compile(r"[{}]")
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?((?:[.#][\w-]{1,80}){0,4})", re.IGNORECASE)
_NAMES = re.compile(r"([.#][\w-]{1,80})")
_LENGTH = re.compile(r"(-?\d{0,9}\.?\d{0,9})\s*(px|em|rem|pt|vw|vh|%)?", re.IGNORECASE)
_UNITS = {"em": 16.0, "rem": 16.0, "pt": 1.33, "vw": 12.0, "vh": 8.0, "%": 12.0}
_MOVED_AWAY = re.compile(
    r"translate\w{0,2}\(\s{0,9}-\d{4,9}|scale\w?\(\s{0,9}0(?:\.0*)?\s{0,9}[,)]"
)
_FOR_SCREEN_READERS = re.compile(
    r"sr[-_]?only|screen[-_]?reader|visually[-_]?hidden|offscreen", re.IGNORECASE
)
_ALWAYS = re.compile(r"@media\s+(?:screen|all)\s*|@layer\b[^(]*", re.IGNORECASE)
_STRIKES = frozenset(("text-decoration", "text-decoration-line"))
_DECIDES = frozenset(("display", "visibility", "opacity", "font-size", "color")) | _STRIKES

_HIDES = _STRIKES | {
    *("display", "visibility", "font-size", "opacity", "overflow", "color", "transform"),
    *("text-indent", "left", "top", "margin-left"),
}
"""CSS properties that can hide or strike text."""


def parse_style(style: str) -> Declarations:
    """Return the declarations of a style in small letters; the last of a name counts."""
    pairs = (each.partition(":") for each in style.lower().split(";"))
    return {
        name.strip(): value.replace("!important", "").strip() for name, _, value in pairs if value
    }


@dataclass(frozen=True)
class InlineStyle:
    """The declarations of an element's style, and the property that hides or strikes out its text, if any."""

    declared: Declarations
    cause: str
    is_white: bool
    """White text without its own background."""

    @classmethod
    def parse(cls, style: str) -> "InlineStyle":
        """Parse the attribute of an element."""
        declared = parse_style(style)
        is_white = read_color(declared.get("color", "")) == WHITE and not read_ground(declared)
        return cls(declared, find_cause(declared), is_white)


def find_cause(style: Declarations) -> str:
    """Return the property that hides or strikes out text; empty if there is none."""
    if style.keys().isdisjoint(_HIDES):
        return ""
    for name, values in (("display", {"none"}), ("visibility", {"hidden", "collapse"})):
        if style.get(name) in values:
            return name
    for name in ("font-size", "opacity"):
        if _is_zero(style.get(name)):
            return name
    if style.get("overflow") == "hidden" and any(
        _is_zero(style.get(n)) for n in ("width", "height")
    ):
        return "overflow"
    if style.get("color") == "transparent" or _is_same_color(style):
        return "color"
    if _is_far(style):
        return "position"
    return next((name for name in _STRIKES if "line-through" in style.get(name, "")), "")


def _is_zero(value: str | None) -> bool:
    return _measure(value or "", missing=1.0) == 0.0


def _is_far(style: Declarations) -> bool:
    """Return whether text is moved out of the page to the left or above it."""
    if _MOVED_AWAY.search(style.get("transform", "")):
        return True
    names = ["text-indent"]
    if style.get("position") in {"absolute", "fixed", "relative"}:
        names += ["left", "top"]
    if "padding-left" not in style and "padding" not in style:
        names.append("margin-left")
    return any(_measure(style.get(name, "")) <= _FAR_PIXELS for name in names)


def _measure(value: str, missing: float = 0.0) -> float:
    """Return a CSS length in pixels, or `missing` if the value is not a length."""
    found = _LENGTH.fullmatch(value)
    try:
        return float(found[1]) * _UNITS.get(found[2], 1.0) if found else missing
    except ValueError:
        return missing


def _is_same_color(style: Declarations) -> bool:
    color, ground = read_color(style.get("color", "")), read_ground(style)
    return bool(color) and color == ground


def read_ground(style: Declarations) -> str:
    """Return the background color that an element's own style sets; empty if it sets none."""
    words = f"{style.get('background-color', '')} {style.get('background', '')}".strip()
    return read_color(words) or words


def read_color(value: str) -> str:
    """Return `WHITE` for each way to write it; any other color as written; `transparent` as empty."""
    value = value.strip()
    plain = value.replace(" ", "")
    if plain in {"#fff", "#ffffff", "white"} or re.fullmatch(r"rgba?\(255,255,255(?:,1)?\)", plain):
        return WHITE
    return "" if value in {"transparent", "inherit", "initial", "none", "unset"} else value


NO_STYLE = InlineStyle({}, "", is_white=False)


@dataclass(frozen=True)
class _Rule:
    tag: str
    names: frozenset[str]
    cause: str


class StyleSheet:
    """A page's rules that certainly hide or strike out text, by tag, class or id only.

    Nothing is certain if another rule may show the element, e.g. at another width or in another state.
    """

    def __init__(self, css: str) -> None:
        """Parse style sheets in linear time, up to a number of rules."""
        self.rules: dict[str, list[_Rule]] = {}
        self._shown: set[tuple[str, str]] = set()
        self._causes: dict[tuple[str, str, str], frozenset[str]] = {}
        for selectors, style, is_sure in islice(_list_rules(_COMMENT.sub("", css)), MAX_RULES):
            for selector in selectors.split(",")[:MAX_SELECTORS]:
                self._add(selector.strip(), style, is_sure=is_sure)

    def _add(self, selector: str, style: Declarations, *, is_sure: bool) -> None:
        simple = _SIMPLE.fullmatch(selector) if is_sure and selector else None
        names = _NAMES.findall(selector.rpartition(" ")[2])
        key = names[-1] if names else selector.lower()
        known = self.rules.get(key, [])
        if not simple or (len(names) > 1 and not find_cause(style)):
            self._shown.update((name, each) for name in names for each in style.keys() & _DECIDES)
        elif not (cause := find_cause(style)):
            known[:] = [rule for rule in known if rule.cause not in style]
        elif len(known) < MAX_RULES_A_NAME and not _FOR_SCREEN_READERS.search(selector):
            rule = _Rule((simple[1] or "").lower(), frozenset(names), cause)
            self.rules.setdefault(key, known).append(rule)

    def is_unseen(self, tag: Any, own: Declarations) -> bool:
        """Return whether a rule hides or strikes out an element, unless its `own` style overrides it."""
        name = f"#{tag.get('id')}"
        about = tag.tag, tag.get("class") or "", name if name in self.rules else ""
        if about not in self._causes:
            self._causes[about] = self._find_causes(*about)
        return any(cause not in own for cause in self._causes[about])

    def _find_causes(self, tag: str, classes: str, name: str) -> frozenset[str]:
        """Return the properties by which rules hide or strike elements of a tag, classes and an id."""
        listed = [f".{each}" for each in classes.split()[:MAX_SELECTORS]] + [name]
        names = frozenset(listed)
        return frozenset(
            rule.cause
            for key in (*listed, tag)
            for rule in self.rules.get(key, ())
            if rule.names <= names and rule.tag in {"", tag}
            if not any((each, rule.cause) in self._shown for each in listed)
        )


def _list_rules(css: str) -> Iterator[tuple[str, Declarations, bool]]:
    """Yield selectors, declarations that affect visibility, and whether they apply on every screen."""
    opened: list[str] = []
    start = 0
    for brace in _BRACE.finditer(css):
        text, start = css[start : brace.start()], brace.end()
        if brace.group() == "{":
            opened.append(text.rpartition(";")[2].strip()[:MAX_SELECTOR_CHARS])
        elif opened:
            selectors = opened.pop()
            style = {} if selectors.startswith("@") else parse_style(text)
            if find_cause(style) or style.keys() & _DECIDES:
                is_sure = len(opened) < MAX_NESTED and all(map(_ALWAYS.fullmatch, opened))
                yield selectors, style, is_sure
