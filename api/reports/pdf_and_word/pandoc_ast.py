"""Writes a document as pandoc's AST, for pandoc to make a Word file or typst's markup of it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any

from api.reports import Format
from api.reports.pdf_and_word.footnotes import Place, place_notes
from contracts.report import document as doc
from domain.report.formats.drawing import Drawing, group_numbers, list_ends
from domain.report.parts.links import is_kept
from domain.report.parts.tables import name_column

Node = dict[str, Any]
Nodes = list[Node]
API_VERSION = [1, 23, 1]
MAX_CELL_CHARS = 30
"""Characters of a cell that widen its column in Word, which needs every width."""
MAX_LABEL_CHARS = 45
"""The same for the first column, whose labels are the longest in a table of figures."""
PADDING = 5
"""Characters that a column has beyond its longest word, which may be bold."""
HEAD_LINES = 6
"""The header of a column of figures is much longer than these, and may be broken into this many lines."""
MAX_EVEN_COLUMNS = 5
"""Wider tables get measured column widths in every format, since labels would be broken after every word."""
_PERCENT = re.compile(r"(?<=\d) %")
"""A figure and its sign stay on one line."""
_PLAIN: list[Any] = ["", [], []]
"""The attributes of a node without any."""
_NUMBERED: list[Any] = [1, {"t": "Decimal"}, {"t": "Period"}]
"""The attributes of a list with numbers."""
_NEW_PAGE: dict[Format, tuple[str, str]] = {
    "pdf": ("typst", "#pagebreak(weak: true)"),
    "docx": ("openxml", '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'),
}
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # characters invalid in XML, and control characters
    "|[\u202a-\u202e\u2066-\u2069\ufeff]"  # characters that change the text's direction
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
    for drawn in writer.write_document():
        blocks += drawn
    return {"pandoc-api-version": API_VERSION, "meta": {}, "blocks": blocks}


class _Pandoc(Drawing[Nodes]):
    """Draws each form as nodes; the notes are footnotes in Word, and a list in a PDF or of a copy's sources."""

    def __init__(
        self, format: Format, document: doc.Document, images: Mapping[str, Mapping[str, str]]
    ) -> None:
        super().__init__(document)
        self._format = format
        self._images = images
        self._referred: set[int] = set()
        """The numbers of the notes that have been named."""
        self._is_note = False
        is_copy = all(isinstance(note, doc.Reference) for note in document.notes)
        self._places = {} if format == "pdf" or is_copy else place_notes(document)
        """The footnote of each note in Word, by the number of the note; empty for a PDF and for a copy."""
        self._parts: dict[int, list[int]] = {}
        """The numbers of the notes in each footnote, starting with its own."""
        for number, place in self._places.items():
            self._parts.setdefault(place.footnote, []).append(number)

    def text(self, words: str) -> Nodes:
        """Return a text on one line; pandoc escapes the markup of its format."""
        words = " ".join(strip_unprintable(words).split())
        return [_string(_PERCENT.sub("\u00a0%", words))] if words else []

    def join(self, parts: Iterable[Nodes], between: str = " ") -> Nodes:
        return _join(parts, [_string(between)] if between else [])

    def strong(self, shown: Nodes) -> Nodes:
        return [_node("Strong", shown)]

    def code(self, words: str) -> Nodes:
        return [_node("Code", [_PLAIN, strip_unprintable(words)])]

    def emphasize(self, shown: Nodes, look: doc.Look | None = None) -> Nodes:
        """Return words in italics, or in a look that the templates define."""
        if look is None:
            return [_node("Emph", shown)]
        if self._format == "docx":
            return [_node("Span", [["", [], [["custom-style", look]]], shown])]
        return [_typst(f"#{look}["), *shown, _typst("]")]

    def link(self, words: str, address: str) -> Nodes:
        """Return a link, or only its text if it leads to the run's files, which a document cannot reach."""
        shown = self.text(words)
        if not address or is_kept(address):
            return shown
        return [_node("Link", [_PLAIN, shown, [address, ""]])]

    def cite(
        self, shown: Nodes, numbers: Sequence[int], before: str = "", after: str = ""
    ) -> Nodes:
        """Return text with the raised numbers of its notes; in a note they are in brackets."""
        if not (numbers or after):
            return shown
        lead = [_string(f"{before}\u00a0")] if before and numbers else []
        tail = [_string(f"{', ' if numbers else ''}{after}")] if after else []
        if self._places and not self._is_note:
            words = [[_node("Superscript", each)] if each else [] for each in (lead, tail)]
            signs = self._cite_footnotes(numbers)
            return [*shown, *self._space(shown), *words[0], *signs, *words[1]]
        runs = self._name_footnotes(numbers) if self._places else self._refer_to_runs(numbers)
        signs = [*lead, *_join(runs, [_string(", " if self._is_note else ",")]), *tail]
        if self._is_note:
            return _join(
                filter(None, [shown, [_string("["), *signs, _string("]")]]), [_string(" ")]
            )
        return [*shown, *self._space(shown), _node("Superscript", signs)]

    def _space(self, shown: Nodes) -> Nodes:
        """Return what keeps a raised number from a unit before it: “353 km⁵”."""
        last = shown[-1]["c"] if shown else ""
        runs_on = isinstance(last, str) and last[-1:].isalnum()
        return [_string("\u202f")] if runs_on else []

    def _cite_footnotes(self, numbers: Sequence[int]) -> Nodes:
        """Return the footnotes that are cited for the first time, and references to the others."""
        by_footnote = {self._places[number].footnote: number for number in numbers}
        signs: list[Nodes] = []
        for run in group_numbers(sorted(by_footnote)):
            if any(by_footnote[footnote] not in self._referred for footnote in run):
                signs += (self._write_footnote(by_footnote[footnote]) for footnote in run)
            else:
                signs.append(self._name_run(run))
        return _join(signs, [_node("Superscript", [_string(",")])])

    def _write_footnote(self, number: int) -> Nodes:
        """Return a footnote with the notes that it names, or a reference if it is already written."""
        place = self._places[number]
        if number in self._referred:
            return self._name_run([place.footnote])
        self._referred.add(number)
        self._is_note = True
        lines = map(self._write_part, self._parts[place.footnote])
        shown = _node("Note", [_node("Para", line) for line in lines])
        self._is_note = False
        return [_node("Span", [[f"from_{place.footnote}", [], []], [shown]])]

    def _write_part(self, number: int) -> Nodes:
        """Return a note of a footnote; notes below its text begin with their number."""
        place, shown = self._places[number], self.write_note(self.document.notes[number - 1])
        if not place.part:
            return shown
        mark = _node("Span", [[_name_place(place), [], []], self._name_part(place)])
        return [mark, _string(" "), *shown]

    def _name_footnotes(self, numbers: Iterable[int]) -> Iterator[Nodes]:
        """Yield the numbers of notes as a note names them."""
        places = {self._places[number] for number in numbers}
        for run in group_numbers(sorted(place.footnote for place in places if not place.part)):
            yield self._name_run(run)
        parts = (place for place in places if place.part)
        for place in sorted(parts, key=lambda place: (place.footnote, place.part)):
            name = self._name_part(place)
            yield [_node("Link", [_PLAIN, name, [f"#{_name_place(place)}", ""]])]

    def _name_part(self, place: Place) -> Nodes:
        return [_string(f"{place.footnote}.{place.part}")]

    def _name_run(self, run: Sequence[int]) -> Nodes:
        """Return the numbers of the ends of a run of footnotes, which Word keeps right as it renumbers them."""
        style = "" if self._is_note else '<w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>'
        ends = (
            f'<w:fldSimple w:instr=" NOTEREF from_{footnote} \\h ">'
            f"<w:r>{style}<w:t>{footnote}</w:t></w:r></w:fldSimple>"
            for footnote in list_ends(run)
        )
        dash = f"<w:r>{style}<w:t>–</w:t></w:r>"
        return [_node("RawInline", ["openxml", dash.join(ends)])]

    def _refer_to_runs(self, numbers: Iterable[int]) -> Iterator[Nodes]:
        return map(self._refer_to_run, group_numbers(numbers))

    def _refer_to_run(self, run: Sequence[int]) -> Nodes:
        """Return the ends of a run; notes between them lead back here too."""
        between = [number for number in run[1:-1] if number not in self._referred]
        self._referred.update(between)
        names = (f"from_{number}" for number in between)
        if self._format == "pdf":  # typst allows one label per element, and none on empty ones
            anchors = [_typst(f"#metadata(none)<{name}>") for name in names]
        else:
            anchors = [_node("Span", [[name, [], []], []]) for name in names]
        return [*anchors, *_join(map(self._refer, list_ends(run)), [_string("–")])]

    def _refer(self, number: int) -> Nodes:
        """Return a note's number as a link; the note links back to where it is first cited."""
        link = _node("Link", [_PLAIN, [_string(f"{number}")], [f"#note_{number}", ""]])
        if number in self._referred:
            return [link]
        self._referred.add(number)
        return [_node("Span", [[f"from_{number}", [], []], [link]])]

    def write_notes(self) -> Iterator[Nodes]:
        """Yield the numbered notes, in small type; in Word those alone that no sentence has led to."""
        if self._places:
            rest = [parts[0] for parts in self._parts.values() if parts[0] not in self._referred]
            if rest:
                yield self.paragraph(self._cite_footnotes(rest))
            return
        self._is_note = True
        notes = list(starmap(self._write_endnote, enumerate(self.document.notes, start=1)))
        self._is_note = False
        items = [[_node("Para", note)] for note in notes]  # Word styles no other in a list
        shown = [_node("OrderedList", [_NUMBERED, items])]
        if self._format == "docx":
            yield [_node("Div", [["", [], [["custom-style", "Footnote Text"]]], shown])]
        else:
            first, last = (_node("RawBlock", ["typst", part]) for part in ("#notes[", "]"))
            yield [first, *shown, last]

    def _write_endnote(self, number: int, note: doc.Note) -> Nodes:
        shown = self.write_note(note)
        back = _node("Link", [_PLAIN, [_string("↑")], [f"#from_{number}", ""]])
        rest = [_string("\u00a0"), back] if number in self._referred else []
        return [_node("Span", [[f"note_{number}", [], []], shown]), *rest]

    def begin_part(self, title: Nodes) -> Nodes:
        new_page = _node("RawBlock", [*_NEW_PAGE[self._format]])
        return [new_page, *self.heading(1, title)]

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
        if is_ordered:
            return [_node("OrderedList", [_NUMBERED, drawn])]
        return [_node("BulletList", drawn)] if drawn else []

    def table(
        self, table: doc.Table, heads: Sequence[Nodes], rows: Sequence[Sequence[Nodes]]
    ) -> Nodes:
        def write_row(cells: Sequence[Nodes]) -> list[Any]:
            content = ([_node("Plain", cell)] for cell in cells)
            return [_PLAIN, [[_PLAIN, _node("AlignDefault"), 1, 1, cell] for cell in content]]

        title = [_node("Plain", self.strong(self.text(table.caption)))] if table.caption else []
        sides = ["AlignRight" if column.is_figure else "AlignLeft" for column in table.columns]
        is_measured = self._format == "docx" or len(table.columns) > MAX_EVEN_COLUMNS
        shares = _share_width(table) if is_measured else [_node("ColWidthDefault")] * len(sides)
        columns = [[_node(side), share] for side, share in zip(sides, shares, strict=True)]
        if (
            self._format == "docx"
        ):  # table styles ignore the first column unless the table enables it
            rows = [[self.emphasize(row[0], "plain"), *row[1:]] for row in rows]
        body = [_PLAIN, 0, [], list(map(write_row, rows))]
        head = [_PLAIN, [write_row(heads)]]
        return [_node("Table", [_PLAIN, [None, title], columns, head, [body], [_PLAIN, []]])]

    def image(self, name: str, artifact: str) -> Nodes | None:
        if not (shown := self._images.get(artifact)):
            return None
        about = ["", [], [["width", shown["width"]]]]
        return [_node("Image", [about, self.text(name), [shown["src"], ""]])]


def _share_width(table: doc.Table) -> list[Node]:
    """Return the width of each column as a share of the text's: room for its longest word and some of its longest cell."""

    def want(column: doc.Column, texts: Sequence[str]) -> float:
        word = max((len(word) for text in texts for word in text.split()), default=0)
        most = MAX_LABEL_CHARS if column is table.columns[0] else MAX_CELL_CHARS
        beyond = max(0, min(max(map(len, texts)), most) - word)
        return word + PADDING + beyond / (HEAD_LINES if column.is_figure else 2)

    heads = list(map(name_column, table.columns))
    rows = [
        [" ".join([cell.text, *(m.label for m in cell.marks)]) if cell else "" for cell in row]
        for row in table.rows
    ]
    wanted = list(map(want, table.columns, zip(heads, *rows, strict=True)))
    return [_node("ColWidth", chars / sum(wanted)) for chars in wanted]


def _node(kind: str, content: Any = None) -> Node:
    return {"t": kind} if content is None else {"t": kind, "c": content}


def _string(text: str) -> Node:
    return _node("Str", text)


def _name_place(place: Place) -> str:
    return f"note_{place.footnote}_{place.part}"


def _typst(markup: str) -> Node:
    return _node("RawInline", ["typst", markup])


def _join(parts: Iterable[Nodes], between: Nodes) -> Nodes:
    joined: Nodes = []
    for part in parts:
        joined += [*between, *part] if joined else part
    return joined
