"""Removes invisible and struck-out text and pronunciations, which are not evidence."""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from lxml.etree import XPath

from activities.parsing.html.tree.context import count_chars, count_prose, remove
from activities.parsing.html.tree.styles import (
    NO_STYLE,
    InlineStyle,
    StyleSheet,
    parse_style,
    read_ground,
)

_STYLED, _NAMED, _HIDDEN, _LINKED_SHEETS = (
    XPath(
        f"/descendant::{tags}"
    )  # `//` with a condition asks each element for its children: thrice the time
    for tags in (
        "*[@style]",
        "*[@class or @id]",
        "*[@hidden]",
        "link[contains(@rel, 'stylesheet')]",
    )
)
_CLASSES, _IDS = (XPath(f"/descendant::*/@{name}", smart_strings=False) for name in ("class", "id"))
_STRUCK = ("s", "del", "strike")
_UNSEEN = ("template", "dialog")
_PRONUNCIATIONS = ("rt", "rp", "rtc")
"""Between the characters of a word in East Asian text, which could not be quoted with them."""
_WHOLE = frozenset(("html", "body"))
MAIN_SHARE = 0.75
"""Hidden elements with this share of a page's unlinked text are its main text, which a script shows."""
_MAX_ANCESTORS, _MAX_INNER = 40, 50


def drop_unseen(tree: Any, *, is_scripted: bool) -> int:
    """Remove what tags, attributes or styles hide or strike out.

    Return the number of hidden characters kept: those of the main text, if a script may show it.
    """
    hidden = dict.fromkeys([*_HIDDEN(tree), *_list_styled(tree)])
    main = _find_main(tree, hidden) if is_scripted else []
    for ruby in tree.iter("ruby", "rb"):  # otherwise each would become a line
        ruby.tag = "span"
    for tag in [*tree.iter(*_STRUCK, *_UNSEEN, *_PRONUNCIATIONS), *hidden]:
        is_open = tag.tag == "dialog" and tag.get("open") is not None
        is_found = (tag.get("hidden") or "").lower() == "until-found"
        is_formula = len(tag) == 1 and tag[0].tag == "math"  # shown as a picture of it
        if not (is_open or is_found or is_formula or tag.tag in _WHOLE or tag in main):
            remove(tag)
    return int(sum(map(count_chars, main)))


def _find_main(tree: Any, hidden: Collection[Any]) -> list[Any]:
    """Return the hidden elements of one tag, class and style that hold most of the text of a page."""
    alike: dict[tuple[str, ...], list[Any]] = {}
    for tag in hidden:
        if count_chars(tag) and not any(around in hidden for around in tag.iterancestors()):
            key = tag.tag, tag.get("class") or "", tag.get("style") or ""
            alike.setdefault(key, []).append(tag)
    least = MAIN_SHARE * count_prose(tree) if alike else 0
    return next((tags for tags in alike.values() if sum(map(count_prose, tags)) >= least), [])


def _list_styled(tree: Any) -> list[Any]:
    """Return the elements that inline styles or the page's style sheets hide or strike out."""
    css = "\n".join(_list_sheets(tree))
    sheet = StyleSheet(css)
    is_plain = "background" not in css and not _LINKED_SHEETS(tree)
    styles: dict[str, InlineStyle] = {}
    found = []
    fonts = [(tag, f"color:{tag.get('color')}") for tag in tree.iter("font") if tag.get("color")]
    for tag, text in [*((tag, tag.get("style")) for tag in _STYLED(tree)), *fonts]:
        style = styles.get(text) or styles.setdefault(text, InlineStyle.parse(text))
        if style.cause or (style.is_white and _is_on_white(tag, is_plain=is_plain)):
            found.append(tag)
    for tag in _list_ruled(tree, sheet):
        own = styles.get(tag.get("style") or "", NO_STYLE)
        if sheet.is_unseen(tag, own.declared):
            found.append(tag)
    return found


def _list_ruled(tree: Any, sheet: StyleSheet) -> Iterator[Any]:
    """Yield the elements that rules may be for."""
    tags = [key for key in sheet.rules if key[:1] not in {".", "#", ""}]
    if tags:
        yield from tree.iter(*tags)
    if len(sheet.rules) > len(tags):
        names = {f".{each}" for classes in {*_CLASSES(tree)} for each in classes.split()}
        if not sheet.rules.keys().isdisjoint(names.union(f"#{each}" for each in _IDS(tree))):
            yield from _NAMED(tree)


def _list_sheets(tree: Any) -> Iterator[str]:
    for tag in tree.iter("style"):
        is_for_screens = (tag.get("media") or "all").lower() in {"all", "screen"}
        parent = tag.getparent()
        if is_for_screens and tag.text and (parent is None or parent.tag != "noscript"):
            yield tag.text


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
