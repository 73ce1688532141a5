"""Blocks that an extractor drops or flattens: numbered lists, definitions, captions, forms and times."""

import re
from collections import Counter
from typing import Any

from activities.parsing.html.tree.context import (
    BLOCKS,
    count_chars,
    count_prose,
    remove,
    replace_by_text,
)
from activities.parsing.html.tree.declarations import is_box, is_row
from activities.parsing.html.tree.styles import PageStyles
from activities.parsing.numerals import GREATEST_ROMAN, write_roman

_BESIDE = "aside"
"""An element that extractors leave out."""
MAX_CREDIT_CHARS = 300
"""A figure with less text and no number is a picture with a caption and credit."""
MAX_TERM_CHARS = 200
MAX_CELL_LIST_CHARS = 500
"""A cell with a longer list is a layout's column."""
_FIGURE = re.compile(r"\b(?!(?:19|20)\d\d\b)\d")
"""A number that is not a year."""
_RENAMED = {"figcaption": "p", "summary": "p", "legend": "p", "details": "div", "fieldset": "div"}
_NO_VALUES = frozenset(
    ("hidden", "password", "submit", "button", "reset", "image", "file", "search", "color")
)
_INLINE = frozenset(
    ("p", "li", "td", "th", "dd", "dt", "span", "b", "strong", "em", "i", "h1", "h2", "h3")
)


def write_blocks(tree: Any) -> None:
    """Rewrite blocks so that an extractor keeps their text and their numbers."""
    _write_values(tree)
    for items in tree.iter("ol"):
        _number(items)
    for items in [*tree.iter("ul", "ol")]:
        cell = next(items.iterancestors("td", "th"), None)
        if cell is not None and count_chars(items) <= MAX_CELL_LIST_CHARS:
            _write_in_line(items)
    for pairs in [*tree.iter("dl")]:
        _join_definitions(pairs)
    for tag in [*tree.iter(*_RENAMED)]:
        tag.tag = _RENAMED[tag.tag]
    _write_boxes(tree)
    for figure in filter(_says_more, [*tree.iter("figure")]):
        figure.tag = "div"  # extractors leave out figures
    for quote in [*tree.iter("q")]:
        quote.tag, quote.text, quote.tail = "span", f"“{quote.text or ''}", f"”{quote.tail or ''}"
    for tag in [*tree.iter("time", "output", "label")]:
        if tag.getparent() is not None and tag.getparent().tag in _INLINE:
            tag.tag = "span"


def _write_boxes(tree: Any) -> None:
    """Make each box of text alone a paragraph: extractors leave out that of a box within a box."""
    for box in [*tree.iter("div")]:
        if count_prose(box) and not any(child.tag in BLOCKS for child in box):
            box.tag = "p"


def separate_boxes(styles: PageStyles) -> None:
    """Put a blank between neighbours that a style sets apart."""
    for tag, style in styles:
        parent = tag.getparent()
        if parent is not None and tag.tag not in BLOCKS and is_box(style.declared):
            _part(tag)
        if is_row(style.declared) and len(tag) > 1:
            for child in tag:
                if child.tag not in BLOCKS:
                    _part(child)


def _part(tag: Any) -> None:
    """Put blanks around an element."""
    if isinstance(tag.tag, str):
        tag.text = f" {tag.text or ''}"
        tag.tail = f" {tag.tail or ''}"


def _says_more(figure: Any) -> bool:
    """Return whether a figure is more than a picture with its credit, or one that leads to another page."""
    text = "".join(figure.itertext()).strip()
    is_link = next(figure.iterancestors("a"), None) is not None
    return not is_link and (len(text) > MAX_CREDIT_CHARS or bool(_FIGURE.search(text)))


def _write_values(tree: Any) -> None:
    """Write the values of filled-in controls in their places, and keep the forms that hold some, or most of a page."""
    filled = [tag for tag in [*tree.iter("input", "select", "textarea")] if _write_value(tag)]
    values = Counter(form for tag in filled for form in tag.iterancestors("form"))
    for form in [*tree.iter("form")]:
        is_page = values[form] > 1 or 2 * count_chars(form) > count_chars(tree)
        form.tag = "div" if is_page else _BESIDE


def _write_value(tag: Any) -> bool:
    """Replace a form control by its value; return False if it shows none."""
    value = _read_value(tag)
    if not value:
        return False
    label = tag.getparent()
    if label is not None and label.tag == "label":
        label.tag = "span"
    replace_by_text(tag, f" {value} ")
    return True


def _read_value(tag: Any) -> str:
    if tag.tag == "textarea":
        return " ".join("".join(tag.itertext()).split())
    if tag.tag == "select":
        chosen = (option for option in tag.iter("option") if option.get("selected") is not None)
        return ", ".join(" ".join("".join(option.itertext()).split()) for option in chosen)
    kind = (tag.get("type") or "text").lower()
    if kind in {"checkbox", "radio"}:
        return "☒" if tag.get("checked") is not None else ""
    return "" if kind in _NO_VALUES else " ".join((tag.get("value") or "").split())


def _number(items: Any) -> None:
    """Write the numbers of an ordered list before its items."""
    if "none" in (items.get("style") or "") and "list-style" in items.get("style"):
        return
    entries = [entry for entry in items if entry.tag == "li"]
    is_reversed = items.get("reversed") is not None
    number = _read_number(items.get("start"), len(entries) if is_reversed else 1)
    for entry in entries:
        number = _read_number(entry.get("value"), number)
        _write_ahead(entry, f"{_write_number(number, items.get('type') or '1')}. ")
        number += -1 if is_reversed else 1


def _write_in_line(items: Any) -> None:
    """Make a list in a table's cell part of its line: extractors drop it there."""
    items.tag = "span"
    for entry in items.iter("li", "p", "div"):
        entry.tag, entry.text, entry.tail = "span", f" {entry.text or ''}", f" {entry.tail or ''}"


def _read_number(text: str | None, default: int) -> int:
    try:
        number = int(text or "")
    except ValueError:
        return default
    return number if abs(number) < 1_000_000 else default


def _write_number(number: int, kind: str) -> str:
    written = str(number)
    if kind in {"i", "I"} and 0 < number <= GREATEST_ROMAN:
        written = write_roman(number)
    elif kind in {"a", "A"} and number > 0:
        written = ""
        while number:
            number, letter = divmod(number - 1, 26)
            written = chr(ord("a") + letter) + written
    return written.upper() if kind in {"A", "I"} else written


def _write_ahead(tag: Any, text: str) -> None:
    """Write a text at the start of an element's first line."""
    while not (tag.text or "").strip() and len(tag) and tag[0].tag in _INLINE:
        tag = tag[0]
    tag.text = text + (tag.text or "").lstrip()


def _join_definitions(pairs: Any) -> None:
    """Write each definition as a paragraph that begins with its term, if both are lines."""
    entries = [*pairs.iter("dt", "dd")]
    if any(inner.tag in BLOCKS for entry in entries for inner in entry):
        return
    terms: list[str] = []
    last = max((n for n, entry in enumerate(entries) if entry.tag == "dd"), default=0)
    for n, tag in enumerate(entries):
        text = " ".join("".join(tag.itertext()).split())
        if tag.tag == "dt" and len(text) <= MAX_TERM_CHARS and n < last:
            terms.append(text)
            remove(tag)
            continue
        if terms:
            _write_ahead(tag, f"{', '.join(terms)}: ")
            terms = []
        tag.tag = "p"
    pairs.tag = "div"
