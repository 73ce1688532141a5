"""What the declarations of an element's style mean for its text: hidden, struck out, white, raised, a box of its own."""

import re
from dataclasses import dataclass

Declarations = dict[str, str]

WHITE = "white"
_FAR_PIXELS = -999.0
_LENGTH = re.compile(r"(-?\d{0,9}\.?\d{0,9})\s*(px|em|rem|pt|vw|vh|%)?", re.IGNORECASE)
_UNITS = {"em": 16.0, "rem": 16.0, "pt": 1.33, "vw": 12.0, "vh": 8.0, "%": 12.0}
_MOVED_AWAY = re.compile(
    r"translate\w{0,2}\(\s{0,9}-\d{4,9}|scale\w?\(\s{0,9}0(?:\.0*)?\s{0,9}[,)]"
)
_CLEAR = re.compile(
    r"transparent|#[\da-f]{3}0|#[\da-f]{6}00|rgba\([^()]{0,40},\s{0,9}0(?:\.0*)?%?\)"
)
STRIKES = frozenset(("text-decoration", "text-decoration-line"))
_PLACES = ("text-indent", "left", "right", "top", "margin-left")
CAUSES = {
    **{name: name for name in ("display", "visibility", "opacity", "font-size", "color", *STRIKES)},
    **dict.fromkeys(("font",), "font-size"),
    **dict.fromkeys(("overflow", "height", "width"), "overflow"),
    **dict.fromkeys(("transform", "position", *_PLACES), "position"),
}
"""CSS property -> the property that is reported as hiding or striking out text."""
INHERITED = frozenset(("visibility", "font-size", "color"))
"""Inherited properties: a child element can override them."""
RAISED = frozenset(("super", "sub", "text-top"))
_MAX_RAISED_PIXELS = 16.0
_ROWS = frozenset(("flex", "inline-flex", "grid", "inline-grid"))
_BOXES = _ROWS | {"block", "table", "table-cell", "table-row", "list-item"}


def parse_style(style: str) -> Declarations:
    """Return the declarations of a style in small letters; the last of a name counts."""
    normal, important = parse_ranked(style)
    return normal | important


def parse_ranked(style: str) -> tuple[Declarations, Declarations]:
    """Return a style's usual declarations and its important ones."""
    ranked: tuple[Declarations, Declarations] = ({}, {})
    for each in style.lower().split(";"):
        name, _, value = each.partition(":")
        plain = value.replace("!important", "")
        if value:
            ranked[plain != value][name.strip()] = plain.strip()
    return ranked


@dataclass(frozen=True)
class ReadStyle:
    """An element's declarations, and the property that hides or strikes out its text, if any."""

    declared: Declarations
    cause: str
    is_white: bool
    """White text without its own background."""

    @classmethod
    def of(cls, declared: Declarations) -> "ReadStyle":
        """Read declarations."""
        is_white = read_color(declared.get("color", "")) == WHITE and not read_ground(declared)
        return cls(declared, find_cause(declared), is_white)


NO_STYLE = ReadStyle({}, "", is_white=False)


def find_cause(style: Declarations) -> str:
    """Return the property that hides or strikes out text; empty if there is none."""
    if style.keys().isdisjoint(CAUSES):
        return ""
    for name, values in (("display", {"none"}), ("visibility", {"hidden", "collapse"})):
        if style.get(name) in values:
            return name
    if _is_zero(style.get("font-size", style.get("font", "").partition("/")[0])):
        return "font-size"
    if _is_zero(style.get("opacity")) and not _changes(style):
        return "opacity"
    is_padded = any(name.startswith("padding") for name in style)  # room for a picture
    is_flat = any(_is_zero(style.get(name)) for name in ("width", "height"))
    if style.get("overflow") == "hidden" and is_flat and not is_padded:
        return "overflow"
    if _is_clear(style) or _is_same_color(style):
        return "color"
    if _is_far(style):
        return "position"
    return next((name for name in STRIKES if "line-through" in style.get(name, "")), "")


def takes_back(style: Declarations, cause: str) -> bool:
    """Return whether an element shows its text though what it stands in hides it by an inherited property."""
    if cause == "font-size":
        size = style.get("font-size", style.get("font", ""))
        return bool(size) and not _is_zero(size) and not size.endswith(("em", "%", "inherit"))
    return cause in style and style[cause] != "inherit" and not find_cause({cause: style[cause]})


def is_only_cause(style: Declarations, cause: str) -> bool:
    """Return whether an element would show its text without the properties that this cause is of."""
    return not find_cause({name: each for name, each in style.items() if CAUSES.get(name) != cause})


def is_raised(style: Declarations) -> bool:
    """Return whether a style raises or lowers an element in its line."""
    if style.get("vertical-align") in RAISED:
        return True
    moved = _measure(style.get("top", ""))
    return style.get("position") == "relative" and -_MAX_RAISED_PIXELS <= moved < 0


def is_row(style: Declarations) -> bool:
    """Return whether a style sets an element's parts beside each other, as boxes."""
    return style.get("display") in _ROWS


def is_box(style: Declarations) -> bool:
    """Return whether a style sets an element apart from its line."""
    return style.get("display") in _BOXES


def _changes(style: Declarations) -> bool:
    """Return whether an element may appear by itself."""
    return any(name.startswith(("animation", "transition")) for name in style)


def _is_clear(style: Declarations) -> bool:
    """Return whether text has no color, and is not filled by its background either."""
    grounds = (value for name, value in style.items() if name.endswith("background-clip"))
    is_filled = "text" in grounds or "text" in style.get("background", "").split()
    return bool(_CLEAR.fullmatch(style.get("color", ""))) and not is_filled


def _is_zero(value: str | None) -> bool:
    return _measure(value or "", missing=1.0) == 0.0


def _is_far(style: Declarations) -> bool:
    """Return whether text is moved out of the page to the left or above it."""
    if _MOVED_AWAY.search(style.get("transform", "")):
        return True
    names = ["text-indent"]
    if style.get("position") in {"absolute", "fixed", "relative"}:
        names += ["left", "right", "top"]
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
