"""Removes invisible and struck-out text and pronunciations, which are not evidence."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from lxml.etree import XPath

from activities.parsing.html.tree.context import count_chars, count_prose, remove
from activities.parsing.html.tree.declarations import (
    INHERITED,
    ReadStyle,
    is_only_cause,
    parse_style,
    read_ground,
    takes_back,
)
from activities.parsing.html.tree.styles import PageStyles

_HIDDEN, _LINKED_SHEETS = (
    XPath(f"/descendant::{tags}")
    for tags in ("*[@hidden or @popover]", "link[contains(@rel, 'stylesheet')]")
)
_STRUCK = ("s", "del", "strike")
_UNSEEN = ("template", "dialog")
_PRONUNCIATIONS = ("rt", "rp", "rtc")
"""Between the characters of a word in East Asian text, which could not be quoted with them."""
_WHOLE = frozenset(("html", "body"))
MAIN_SHARE = 0.75
"""Hidden elements with this share of a page's unlinked text are its main text, which a script shows."""
_MAX_ANCESTORS, _MAX_INNER = 40, 50


def drop_unseen(tree: Any, styles: PageStyles, *, is_scripted: bool) -> int:
    """Remove what tags, attributes or styles hide or strike out.

    Return the number of hidden characters kept: those of the main text, if a script may show it. Of an
    element that hides its text by a property that one within takes back, that one stays.
    """
    causes = dict(_list_styled(tree, styles)) | dict.fromkeys(_HIDDEN(tree), "")
    main = _find_main(tree, causes) if is_scripted else []
    for ruby in tree.iter("ruby", "rb"):  # otherwise each would become a line
        ruby.tag = "span"
    holding = _find_holding(causes, styles)
    for tag in [*tree.iter(*_STRUCK, *_UNSEEN, *_PRONUNCIATIONS), *causes]:
        is_open = tag.tag == "dialog" and tag.get("open") is not None
        is_found = (tag.get("hidden") or "").lower() == "until-found"
        is_formula = len(tag) == 1 and tag[0].tag == "math"  # shown as a picture of it
        if is_open or is_found or is_formula or tag.tag in _WHOLE or tag in main:
            continue
        if (tag, causes.get(tag, "")) in holding:
            _mute(tag, causes, styles)
        else:
            remove(tag)
    return int(sum(map(count_chars, main)))


def _find_holding(causes: Mapping[Any, str], styles: PageStyles) -> set[tuple[Any, str]]:
    """Return the hidden elements, with their causes, that hold one which takes the cause back."""
    inherited = INHERITED.intersection(causes.values())
    return {
        (around, cause)
        for cause in inherited
        for tag, style in styles
        if takes_back(style.declared, cause)
        for around in tag.iterancestors()
        if causes.get(around) == cause and is_only_cause(styles.get(around).declared, cause)
    }


def _mute(tag: Any, causes: Mapping[Any, str], styles: PageStyles) -> None:
    """Remove the text of an element, except for what elements within show again."""
    tag.attrib.pop("style", None)  # extractors drop what it hides, with all that is in it
    waiting = [tag]
    while waiting:
        each = waiting.pop()
        each.text = None
        for child in each:
            child.tail = None
            is_shown = takes_back(styles.get(child).declared, causes[tag])
            if not is_shown and child not in causes:  # a hidden one has its own turn
                waiting.append(child)


def _find_main(tree: Any, hidden: Collection[Any]) -> list[Any]:
    """Return the hidden elements of one tag, class and style that hold most of the text of a page."""
    alike: dict[tuple[str, ...], list[Any]] = {}
    for tag in hidden:
        if count_chars(tag) and not any(around in hidden for around in tag.iterancestors()):
            key = tag.tag, tag.get("class") or "", tag.get("style") or ""
            alike.setdefault(key, []).append(tag)
    least = MAIN_SHARE * count_prose(tree) if alike else 0
    return next((tags for tags in alike.values() if sum(map(count_prose, tags)) >= least), [])


def _list_styled(tree: Any, styles: PageStyles) -> Iterator[tuple[Any, str]]:
    """Yield the elements that styles hide or strike out, with the property that does."""
    is_plain = not styles.sets_grounds and not _LINKED_SHEETS(tree)
    fonts = [
        (tag, ReadStyle.of({"color": tag.get("color").lower()}))
        for tag in tree.iter("font")
        if tag.get("color")
    ]
    for tag, style in [*styles, *fonts]:
        if style.cause:
            yield tag, style.cause
        elif style.is_white and _is_on_white(tag, is_plain=is_plain):
            yield tag, ""


def _is_on_white(tag: Any, *, is_plain: bool) -> bool:
    """Return whether white text is certainly on a white ground, and contains no other color.

    `is_plain` says that no style sheet of the page can set a background.
    """
    inner = [*islice(tag.iterdescendants(), _MAX_INNER)]
    if len(inner) == _MAX_INNER or any(
        {"style", "color", "class"} & {*each.keys()} for each in inner
    ):
        return False
    for around in islice(tag.iterancestors(), _MAX_ANCESTORS):
        if around.get("bgcolor") or around.get("background"):
            return False
        if ground := read_ground(parse_style(around.get("style") or "")):
            return ground == "white"
    return is_plain
