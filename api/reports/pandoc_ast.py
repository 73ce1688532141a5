"""Writes a document as pandoc's AST, with real footnotes, for pandoc to make a Word file or typst's markup of it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from xml.sax.saxutils import quoteattr

from api.reports import Format
from contracts.report import document as doc
from contracts.words import say
from domain.report.document import name_column
from domain.report.parts.links import is_kept

Node = dict[str, Any]
API_VERSION = [1, 23, 1]
MAX_COLUMNS = 12
"""Limit of a page; the rows of a wider table become lines."""
_PLAIN: list[Any] = ["", [], []]
"""The attributes of a node without any."""
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
    writer = _Writer(format, document, images)
    head = _node("Header", [1, _PLAIN, _text(document.title) or _text("Report")])
    blocks = chain.from_iterable(map(writer.write_block, [*document.opening, *document.blocks]))
    return {"pandoc-api-version": API_VERSION, "meta": {}, "blocks": [head, *blocks]}


class _Writer:
    """Writes the blocks of one document; a note is a footnote where it is first named.

    The notes that a footnote names follow it, so that each has the number that the document gives it.
    """

    def __init__(
        self, format: Format, document: doc.Document, images: Mapping[str, Mapping[str, str]]
    ) -> None:
        self._format = format
        self._document = document
        self._images = images
        self._written = 0
        """The number of the last footnote."""

    def write_block(self, block: doc.Block) -> Iterator[Node]:
        """Yield what pandoc makes of a block."""
        match block:
            case doc.DocumentHeading():
                yield _node("Header", [block.level, _PLAIN, _text(block.text)])
            case doc.Paragraph():
                yield _node("Para", _join(map(self._write_sentence, block.sentences)))
            case doc.Remark():
                yield _node("Para", [_node("Emph", _text(block.text))])
            case doc.Callout():
                yield _node("BlockQuote", list(_write_callout(block)))
            case doc.Table():
                yield from self._write_table(block)
            case doc.Exhibit():
                yield from self._write_exhibit(block)
            case doc.NoteList():
                pass  # its footnotes stand where they are named
            case _:
                yield from self._write_list(block)

    def _write_list(self, block: Any) -> Iterator[Node]:
        if isinstance(block, doc.ItemList):
            items = list(map(self._write_sentence, block.items))
        elif isinstance(block, doc.QuoteList):
            items = list(map(self._write_quote, block.quotes))
        else:
            items = [_write_source(self._document.sources[n - 1]) for n in block.numbers]
        if isinstance(block, doc.ItemList) and block.is_ordered:
            style = [1, _node("Decimal"), _node("Period")]
            yield _node("OrderedList", [style, [[_node("Plain", item)] for item in items]])
        elif items:
            yield _node("BulletList", [[_node("Plain", item)] for item in items])

    def _write_sentence(self, sentence: doc.Sentence) -> list[Node]:
        lead = [_node("Strong", _text(sentence.lead))] if sentence.lead else []
        runs_on = bool(sentence.notes) and sentence.text[-1:].isalnum()  # “353 km⁵”
        space = [_string("\u202f")] if runs_on else []
        parts = [lead, _text(sentence.text) + space + self._cite(sentence.notes)]
        if sentence.marks:
            marks = _join(map(self._write_mark, sentence.marks), "; ")
            aside = [_node("Emph", [_string("("), *marks, _string(")")])]
            parts.append(self._colour(aside, sentence.look))
        return _join(filter(None, parts))

    def _colour(self, nodes: list[Node], look: doc.Look) -> list[Node]:
        """Return nodes in the colour of a look, which the templates define."""
        if self._format == "docx":
            return [_node("Span", [["", [], [["custom-style", look]]], nodes])]
        return [
            _node("RawInline", ["typst", f"#{look}["]),
            *nodes,
            _node("RawInline", ["typst", "]"]),
        ]

    def _write_mark(self, mark: doc.Mark) -> list[Node]:
        return _text(mark.label) + self._cite([mark.note] if mark.note else [])

    def _cite(self, numbers: Iterable[int]) -> list[Node]:
        """Return the marks of footnotes; a note that was named before is referred to by its number."""
        marks: list[list[Node]] = []
        for number in numbers:
            is_known = number <= self._written
            marks += [[self._refer(number, is_raised=True)]] if is_known else self._define(number)
        return _join(marks, _node("Superscript", [_string(",")]))

    def _define(self, number: int) -> Iterator[list[Node]]:
        """Yield the footnotes up to a number, each with those that it names itself behind it."""
        while number > self._written:
            self._written += 1
            named = _list_named(self._document.notes[self._written - 1])
            yield self._write_footnote(self._written)
            for each in named:
                yield from self._define(each)

    def _write_footnote(self, number: int) -> list[Node]:
        note = _node("Note", [_node("Para", self._write_note(self._document.notes[number - 1]))])
        if self._format == "docx":
            return [_node("Span", [[_anchor(number), [], []], [note]])]
        return [note, _node("RawInline", ["typst", f"<{_anchor(number)}>"])]

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
        return _node(
            "RawInline",
            ["typst", f"#footnote({anchor})" if is_raised else f"#link({anchor})[{number}]"],
        )

    def _write_note(self, note: doc.Note) -> list[Node]:
        match note:
            case doc.Quote():
                return self._write_quote(note)
            case doc.Working():
                return _text(f"{note.label}: {note.expression}") + self._refer_to(note.quotes)
            case doc.Basis():
                sentences = map(self._write_basis, note.sentences)
                return _join([_text(f"{note.label}:"), *sentences])
            case _:
                return _text(f"{note.label}: {note.text}")

    def _write_basis(self, sentence: doc.Sentence) -> list[Node]:
        """Return a sentence within a footnote, which holds no footnote of its own."""
        marks = [
            _text(mark.label) + self._refer_to([mark.note] if mark.note else [])
            for mark in sentence.marks
        ]
        aside = [_node("Emph", [_string("("), *_join(marks, "; "), _string(")")])] if marks else []
        parts = [_text(sentence.text) + self._refer_to(sentence.notes), aside]
        return _join(filter(None, parts))

    def _refer_to(self, numbers: Sequence[int]) -> list[Node]:
        return [
            part
            for number in numbers
            for part in (_string(" ["), self._refer(number), _string("]"))
        ]

    def _write_table(self, table: doc.Table) -> Iterator[Node]:
        cells = [
            [self._write_sentence(c) if c else [_string("–")] for c in row] for row in table.rows
        ]
        heads = [_text(name_column(column)) for column in table.columns]
        if len(table.columns) > MAX_COLUMNS:
            yield from (
                [_node("Para", [_node("Strong", _text(table.caption))])] if table.caption else []
            )
            yield from (_node("Para", _join(row, " | ")) for row in [heads, *cells])
        else:
            sides = ["AlignRight" if column.is_figure else "AlignLeft" for column in table.columns]
            yield _table(table.caption, sides, heads, cells)
        if table.remark:
            yield _node("Para", [_node("Emph", _text(table.remark))])

    def _write_exhibit(self, exhibit: doc.Exhibit) -> Iterator[Node]:
        name = _text(exhibit.name)
        if shown := self._images.get(exhibit.artifact):
            about = ["", [], [["width", shown["width"]]]]
            yield _node("Para", [_node("Image", [about, name, [shown["src"], ""]])])
        else:
            yield _node("Para", [_node("Strong", name)])
        if exhibit.remark:
            yield _node("Para", [_node("Emph", _text(exhibit.remark))])

    def _write_quote(self, quote: doc.Quote) -> list[Node]:
        """Return a quote, its source's title, which leads to it, its publisher, its day and the page."""
        language, sources = self._document.language, self._document.sources
        text = [*_text(quote.lead + say(language, "quoted", text=quote.text)), _string(" — ")]
        if not 0 < quote.source <= len(sources):
            return text + _text(say(language, "source", n=quote.source))
        source = sources[quote.source - 1]
        where = [_link(source.title, source.address), *map(_text, source.about)]
        if quote.place:
            where.append(_link(quote.place, quote.address))
        remark = [_string(" "), *_text(f"({quote.remark})")] if quote.remark else []
        return [*text, *_join(where, ", "), *remark]


def _list_named(note: doc.Note) -> list[int]:
    """Return the numbers of the notes that a note names."""
    if isinstance(note, doc.Working):
        return note.quotes
    sentences = note.sentences if isinstance(note, doc.Basis) else []
    marks = [[mark.note for mark in each.marks if mark.note] for each in sentences]
    return [n for each, own in zip(sentences, marks, strict=True) for n in (*each.notes, *own)]


def _write_callout(callout: doc.Callout) -> Iterator[Node]:
    if callout.title:
        yield _node("Para", [_node("Strong", _text(callout.title))])
        if callout.lines:
            yield _node("BulletList", [[_node("Plain", _text(line))] for line in callout.lines])
    else:
        yield from (_node("Para", _text(line)) for line in callout.lines)


def _write_source(source: doc.DocumentSource) -> list[Node]:
    """Return a source's title, publisher and day, its address or path, and what speaks against it."""
    about = "".join(
        f"{sign}{part}" for sign, part in zip([" — ", ", "], source.about, strict=False)
    )
    where = _link(source.path or source.address, source.address)
    doubts = [_string(" "), _node("Emph", _text(f"({'; '.join(source.doubts)})"))]
    named = [*_text(f"{source.title}{about}:"), _string(" "), *where]
    return named + (doubts if source.doubts else [])


def _table(
    caption: str, sides: Sequence[str], heads: list[list[Node]], rows: list[list[list[Node]]]
) -> Node:
    def write_row(cells: Iterable[list[Node]]) -> list[Any]:
        content = ([_node("Plain", cell)] for cell in cells)
        return [_PLAIN, [[_PLAIN, _node("AlignDefault"), 1, 1, cell] for cell in content]]

    title = [_node("Plain", [_node("Strong", _text(caption))])] if caption else []
    columns = [[_node(side), _node("ColWidthDefault")] for side in sides]
    body = [_PLAIN, 0, [], list(map(write_row, rows))]
    head = [_PLAIN, [write_row(heads)]]
    return _node("Table", [_PLAIN, [None, title], columns, head, [body], [_PLAIN, []]])


def _anchor(number: int) -> str:
    return f"note_{number}"


def _node(kind: str, content: Any = None) -> Node:
    return {"t": kind} if content is None else {"t": kind, "c": content}


def _string(text: str) -> Node:
    return _node("Str", text)


def _text(text: str) -> list[Node]:
    """Return a text on one line; pandoc escapes whatever its format reads as markup."""
    words = " ".join(strip_unprintable(text).split())
    return [_string(words)] if words else []


def _link(text: str, address: str) -> list[Node]:
    """Return a link; one to what the run keeps is its words alone, as it leads nowhere from a file."""
    words = _text(text)
    return (
        [_node("Link", [_PLAIN, words, [address, ""]])]
        if address and not is_kept(address)
        else words
    )


def _join(parts: Iterable[list[Node]], between: str | Node = " ") -> list[Node]:
    """Return the nodes of several parts, with a text or a node between each two."""
    node = _string(between) if isinstance(between, str) else between
    joined: list[Node] = []
    for part in parts:
        joined += [node, *part] if joined else part
    return joined
