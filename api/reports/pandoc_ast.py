"""Writes a document as pandoc's AST, with real footnotes, for pandoc to make a Word file or typst's markup of it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from xml.sax.saxutils import quoteattr

from api.reports import Format
from contracts.report import document as doc
from domain.report.document import name_column
from domain.report.parts.links import is_kept
from domain.report.renderer import Drawing

Node = dict[str, Any]
Nodes = list[Node]
API_VERSION = [1, 23, 1]
MAX_CELL_CHARS = 30
"""Characters of a cell that widen its column in Word, which needs every width."""
_PLAIN: list[Any] = ["", [], []]
"""The attributes of a node without any."""
_UNMARKED = "#box(width: 0pt, height: 0pt, clip: true)["
"""Begins what takes no room in a line: of a footnote in it, the text below the page is left."""
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # not XML, or a control
    "|[\u202a-\u202e\u2066-\u2069\ufeff]"  # overrides the text's direction
)


def strip_unprintable(text: str) -> str:
    """Remove the characters that no document can hold."""
    return _UNPRINTABLE.sub("", text)


def build_ast(
    format: Format, document: doc.Document, images: Mapping[str, Mapping[str, str]]
) -> Node:
    """Return a document as pandoc reads it; an image is shown if it is given, by its artifact's id."""
    writer = _Pandoc(format, document, images)
    blocks = writer.heading(1, writer.text(document.title) or writer.text("Report"))
    for drawn in writer.write_blocks([*document.opening, *document.blocks]):
        blocks += drawn
    return {"pandoc-api-version": API_VERSION, "meta": {}, "blocks": blocks}


class _Pandoc(Drawing[Nodes]):
    """Draws each form as nodes; a note is a footnote where it is first named.

    The notes that a footnote names follow it, so that each has the number that the document gives it.
    """

    def __init__(
        self, format: Format, document: doc.Document, images: Mapping[str, Mapping[str, str]]
    ) -> None:
        super().__init__(document)
        self._format = format
        self._images = images
        self._written = 0
        """The number of the last footnote."""
        self._is_note = False
        """Whether a footnote is drawn, which holds no footnote of its own."""

    def text(self, words: str) -> Nodes:
        """Return a text on one line; pandoc escapes whatever its format reads as markup."""
        words = " ".join(strip_unprintable(words).split())
        return [_string(words)] if words else []

    def join(self, parts: Iterable[Nodes], between: str = " ") -> Nodes:
        return _join(parts, [_string(between)] if between else [])

    def strong(self, shown: Nodes) -> Nodes:
        return [_node("Strong", shown)]

    def emphasize(self, shown: Nodes, look: doc.Look | None = None) -> Nodes:
        """Return words in italics, in a colour that the templates define."""
        words = [_node("Emph", shown)]
        if look is None:
            return words
        if self._format == "docx":
            return [_node("Span", [["", [], [["custom-style", look]]], words])]
        return [_typst(f"#{look}["), *words, _typst("]")]

    def link(self, words: str, address: str) -> Nodes:
        """Return a link; one to what the run keeps is its words alone, as it leads nowhere from a file."""
        shown = self.text(words)
        if not address or is_kept(address):
            return shown
        return [_node("Link", [_PLAIN, shown, [address, ""]])]

    def cite(self, shown: Nodes, numbers: Sequence[int]) -> Nodes:
        """Return text with its footnotes; a note that was named before is referred to by its number."""
        if self._is_note:
            signs = ([_string(" ["), self._refer(number), _string("]")] for number in numbers)
            return [*shown, *chain.from_iterable(signs)]
        marks: list[Nodes] = []
        for number in numbers:
            is_known = number <= self._written
            marks += [[self._refer(number, is_raised=True)]] if is_known else self._mark(number)
        runs_on = marks and shown and shown[-1]["c"][-1:].isalnum()  # “353 km⁵”
        space = [_string("\u202f")] if runs_on else []
        return [*shown, *space, *_join(marks, [_node("Superscript", [_string(",")])])]

    def _mark(self, number: int) -> list[Nodes]:
        """Return the marks of a new footnote and of those that it names; in a PDF they stand below the page unmarked."""
        notes = list(self._define(number))
        if self._format == "docx":
            return [note for _, note in notes]
        marked = (
            note if n == number else [_typst(_UNMARKED), *note, _typst("]")] for n, note in notes
        )
        return [list(chain.from_iterable(marked))]

    def _define(self, number: int) -> Iterator[tuple[int, Nodes]]:
        """Yield the footnotes up to a number, each with those that it names itself behind it."""
        while number > self._written:
            self._written += 1
            at = self._written
            yield at, self._write_footnote(at)
            for each in _list_named(self.document.notes[at - 1]):
                yield from self._define(each)

    def _write_footnote(self, number: int) -> Nodes:
        self._is_note = True
        note = _node("Note", self.paragraph(self.write_note(self.document.notes[number - 1])))
        self._is_note = False
        if self._format == "docx":
            return [_node("Span", [[_anchor(number), [], []], [note]])]
        return [note, _typst(f"<{_anchor(number)}>")]

    def _refer(self, number: int, *, is_raised: bool = False) -> Node:
        """Return the number of a footnote, which leads to it."""
        if self._format == "docx":
            style = '<w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>' if is_raised else ""
            code = quoteattr(f" NOTEREF {_anchor(number)} \\h ")
            run = f"<w:r>{style}<w:t>{number}</w:t></w:r>"
            return _node(
                "RawInline", ["openxml", f"<w:fldSimple w:instr={code}>{run}</w:fldSimple>"]
            )
        anchor = f"<{_anchor(number)}>"
        return _typst(f"#footnote({anchor})" if is_raised else f"#link({anchor})[{number}]")

    def write_notes(self) -> Iterator[Nodes]:
        yield from ()  # its footnotes are where they are named

    def heading(self, level: int, shown: Nodes) -> Nodes:
        return [_node("Header", [level, _PLAIN, shown])]

    def paragraph(self, shown: Nodes) -> Nodes:
        return [_node("Para", shown)]

    def callout(self, title: Nodes, lines: Sequence[Nodes]) -> Nodes:
        """Return a block quote; Word styles its paragraphs alone, so its items are paragraphs too."""
        items = [[_string("• "), *line] for line in lines] if title else lines
        shown = [self.strong(title), *items] if title else items
        return [_node("BlockQuote", [_node("Para", line) for line in shown])]

    def list_items(self, items: Iterable[Nodes], *, is_ordered: bool = False) -> Nodes:
        drawn = [[_node("Plain", item)] for item in items]
        style = [1, _node("Decimal"), _node("Period")]
        if is_ordered:
            return [_node("OrderedList", [style, drawn])]
        return [_node("BulletList", drawn)] if drawn else []

    def table(
        self, table: doc.Table, heads: Sequence[Nodes], rows: Sequence[Sequence[Nodes]]
    ) -> Nodes:
        def write_row(cells: Sequence[Nodes]) -> list[Any]:
            content = ([_node("Plain", cell)] for cell in cells)
            return [_PLAIN, [[_PLAIN, _node("AlignDefault"), 1, 1, cell] for cell in content]]

        title = [_node("Plain", self.strong(self.text(table.caption)))] if table.caption else []
        sides = ["AlignRight" if column.is_figure else "AlignLeft" for column in table.columns]
        is_measured = self._format == "docx"
        shares = _share_width(table) if is_measured else [_node("ColWidthDefault")] * len(sides)
        columns = [[_node(side), share] for side, share in zip(sides, shares, strict=True)]
        body = [_PLAIN, 0, [], list(map(write_row, rows))]
        head = [_PLAIN, [write_row(heads)]]
        return [_node("Table", [_PLAIN, [None, title], columns, head, [body], [_PLAIN, []]])]

    def image(self, name: str, artifact: str) -> Nodes | None:
        if not (shown := self._images.get(artifact)):
            return None
        about = ["", [], [["width", shown["width"]]]]
        return [_node("Image", [about, self.text(name), [shown["src"], ""]])]


def _list_named(note: doc.Note) -> list[int]:
    """Return the numbers of the notes that a note names."""
    if isinstance(note, doc.Working):
        return note.quotes
    sentences = note.sentences if isinstance(note, doc.Basis) else []
    marks = [[mark.note for mark in each.marks if mark.note] for each in sentences]
    return [n for each, own in zip(sentences, marks, strict=True) for n in (*each.notes, *own)]


def _share_width(table: doc.Table) -> list[Node]:
    """Return the width of each column as a share of the text's: room for its longest word and some of its longest cell."""

    def want(column: Sequence[str]) -> float:
        word = max((len(word) for text in column for word in text.split()), default=0)
        return word + 2 + max(0, min(max(map(len, column)), MAX_CELL_CHARS) - word) / 2

    heads = list(map(name_column, table.columns))
    rows = [
        [" ".join([cell.text, *(m.label for m in cell.marks)]) if cell else "" for cell in row]
        for row in table.rows
    ]
    wanted = list(map(want, zip(heads, *rows, strict=True)))
    return [_node("ColWidth", chars / sum(wanted)) for chars in wanted]


def _anchor(number: int) -> str:
    return f"note_{number}"


def _node(kind: str, content: Any = None) -> Node:
    return {"t": kind} if content is None else {"t": kind, "c": content}


def _string(text: str) -> Node:
    return _node("Str", text)


def _typst(markup: str) -> Node:
    return _node("RawInline", ["typst", markup])


def _join(parts: Iterable[Nodes], between: Nodes) -> Nodes:
    joined: Nodes = []
    for part in parts:
        joined += [*between, *part] if joined else part
    return joined
