"""A prepared HTML tree as text: a line to a paragraph or a table's row, and headings with their `#`."""

from typing import Any

import lxml.html
from lxml import etree

from activities.parsing.document import MAX_HEADING_CHARS, bounded, line, row, tidy
from activities.parsing.html.tree.context import BLOCKS
from activities.parsing.html.tree.preparation import prepare
from contracts.documents import PageSection

_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_BLOCKS = BLOCKS | {"br"}
_UNREAD = frozenset(["script", "style", "head", "title", "template", "svg", "noscript"])
_SPACED = frozenset([*_HEADINGS, "table", "ul", "ol", "section", "article", "blockquote", "dl"])
"""Elements that are written with an empty line before and after them."""


class _Writer:
    """Collects the lines of a tree, element by element."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._words: list[str] = []
        self._cells: list[list[str]] = []
        """The cells of each open row so far."""
        self._unread = 0
        self._kept = 0
        """Number of open elements that preserve line breaks."""

    def start(self, tag: Any) -> None:
        name = tag.tag if isinstance(tag.tag, str) else "script"
        if self._unread or name in _UNREAD:
            self._unread += 1
            return
        if name in _BLOCKS:
            self._end_line()
        self._kept += name == "pre"
        if name in _SPACED and not self._cells:
            self.lines.append("")
        if name == "tr":
            self._cells.append([])
        elif name in _HEADINGS and not self._cells:
            self._words.append("#" * _HEADINGS[name] + " ")
        elif name == "li" and tag.getparent() is not None and tag.getparent().tag == "ul":
            self._words.append("- ")
        self._add(tag.text)

    def end(self, tag: Any) -> None:
        name = tag.tag if isinstance(tag.tag, str) else "script"
        if self._unread:
            self._unread -= 1
        else:
            self._close(name)
        if not self._unread:
            self._add(tag.tail)

    def _close(self, name: str) -> None:
        if name in {"td", "th"} and self._cells:
            self._cells[-1].append(" ".join("".join(self._words).split()))
            self._words.clear()
        elif name == "tr" and self._cells:
            self._end_line()
            cells = self._cells.pop()
            if self._cells:  # a table within a cell
                self._words.append(" ".join(filter(None, cells)) + "; ")
            elif any(cells):
                self.lines.append(row(cells))
        elif name in _BLOCKS:
            self._end_line()
        self._kept -= name == "pre"
        if name in _SPACED and not self._cells:
            self.lines.append("")

    def _add(self, text: str | None) -> None:
        if not text:
            return
        if self._kept and not self._cells:
            *lines, rest = text.split("\n")
            for each in lines:
                self._words.append(each)
                self._end_line()
            self._words.append(rest)
        else:
            self._words.append(text)

    def _end_line(self) -> None:
        if self._cells:
            self._words.append(" ")
            return
        text = "".join(self._words)
        self._words.clear()
        shown = text.rstrip() if self._kept else " ".join(text.split())
        if shown.strip("# -"):
            self.lines.append(shown)


_PARSER = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)


def parse_markup(html: bytes) -> Any:
    """Return the tree of a piece of HTML in UTF-8."""
    return lxml.html.document_fromstring(b"<html><body>" + html + b"</body></html>", _PARSER)


def read_tree(tree: Any) -> str:
    """Return the text that a reader sees of a tree."""
    prepare(tree)
    return write_text(tree)


def write_text(tree: Any) -> str:
    """Return the text of a tree that has no hidden text and no raised marks any more."""
    writer = _Writer()
    for event, tag in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        if event == "start":
            writer.start(tag)
        elif event == "end":
            writer.end(tag)
        elif tag.tail:
            writer._add(tag.tail)
    return tidy("\n".join(writer.lines))


def list_headings(text: str) -> tuple[PageSection, ...]:
    """Return a section for each line that begins with `#`: its heading and its span in the text."""
    found, offset = [], 0
    for each in text.split("\n"):
        if each.startswith("#") and (heading := line(each.lstrip("#"), MAX_HEADING_CHARS)):
            found.append((heading, offset))
        offset += len(each) + 1
    return bounded(found, len(text))
