"""Workbooks: each sheet that is shown as a section, its cells as rows, and values as they are formatted."""

import re
from bisect import bisect, bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, starmap
from typing import Any

from activities.parsing.comments_headers_footers import write_comment, write_margins
from activities.parsing.document import (
    MAX_TEXT_CHARS,
    Parsed,
    Unreadable,
    line,
    list_unread,
    row,
    tidy,
)
from activities.parsing.markup_text import list_headings
from activities.parsing.office.drawing import A, join_raised, list_drawn_lines
from activities.parsing.office.number_formats import BUILT_IN, show_number, show_text
from activities.parsing.office.package import RELATION_ID, Package, is_on
from contracts.documents import UnreadCode
from contracts.evidence.read_failures import FormatName
from contracts.media_types import XLSX

_FORMAT: FormatName = "workbook"
_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_READ_SHEETS = frozenset(["worksheet", "chartsheet"])
_REFERENCE = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MARGIN_CODE = re.compile(
    r'\w{0,20}\s{0,5}&P(?:\s{0,5}\S{1,4}\s{0,5}&N)?|&(?:"[^"]*"|K[0-9A-F]{6}|K\d\d[+-]\d{3}|\d+|[A-Z])'
)
"""Codes of fonts, places and page numbers in printed headers."""
MAX_CELLS = 400_000
MAX_AREA = 1_000_000
"""Rows times columns that hold something, of one sheet."""
MAX_FILLED = 20_000
MAX_FILLED_CHARS = 200
"""Characters of a merged cell that are repeated in the rows and columns that it spans."""
_MAX_COLUMNS = 16_384
Place = tuple[int, int]


@dataclass(frozen=True)
class _Format:
    code: str = "General"
    is_struck: bool = False


@dataclass
class _Sheet:
    """The cells of a sheet that are shown, by row and column."""

    cells: dict[Place, str] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    margins: list[tuple[str, str]] = field(default_factory=list)
    """The headers and footers that are printed, by kind."""


class _Workbook:
    """Reads the sheets of a workbook, up to `MAX_CELLS` cells in all."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self.part = package.find("", "officeDocument") or "xl/workbook.xml"
        self.root = package.parse(self.part)
        about = self.root.find(f"{_S}workbookPr")
        self._since_1904 = about is not None and is_on(about.get("date1904"), missing=False)
        self._formats = self._read_formats()
        self._strings = self._read_strings()
        self._left = MAX_CELLS
        self.unread: defaultdict[UnreadCode, list[str]] = defaultdict(list)
        """Names of unread sheets and cells, by reason."""

    def list_sheets(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the part of each sheet that is shown."""
        relations = self._package.relate(self.part)
        for sheet in self.root.iter(f"{_S}sheet"):
            name = line(sheet.get("name")) or "Sheet"
            relation = relations.get(sheet.get(f"{RELATION_ID}id"))
            if sheet.get("state", "visible") != "visible":
                self.unread["sheets_hidden"].append(name)
            elif relation and relation.kind in _READ_SHEETS and relation.target in self._package:
                yield name, relation.target
            else:
                self.unread["sheets_cut"].append(name)

    def _read_formats(self) -> list[_Format]:
        part = self._package.find(self.part, "styles")
        if not part:
            return []
        root = self._package.parse(part)
        codes = dict(BUILT_IN)
        for each in root.iter(f"{_S}numFmt"):
            codes[_read_int(each.get("numFmtId"))] = each.get("formatCode") or ""
        fonts = [_is_struck(font) for font in root.iterfind(f"{_S}fonts/{_S}font")]
        found = []
        for each in root.iterfind(f"{_S}cellXfs/{_S}xf"):
            font = _read_int(each.get("fontId"))
            struck = font < len(fonts) and fonts[font]
            found.append(_Format(codes.get(_read_int(each.get("numFmtId")), "General"), struck))
        return found

    def _read_strings(self) -> list[str]:
        part = self._package.find(self.part, "sharedStrings")
        return [_read_rich(each) for each in self._package.parse(part)] if part else []

    def read_sheet(self, name: str, part: str) -> _Sheet:
        """Return the cells of a sheet that are shown."""
        root = self._package.parse(part)
        hidden_columns = _read_hidden_columns(root)
        seen_hidden: set[int] = set()
        sheet = _Sheet(merged=[each.get("ref") or "" for each in root.iter(f"{_S}mergeCell")])
        for each in root.iterfind(f"{_S}headerFooter/*"):
            kind = "Footer" if each.tag.endswith("Footer") else "Header"
            sheet.margins.append((kind, each.text or ""))
        number = 0
        for each in root.iterfind(f"{_S}sheetData/{_S}row"):
            number = _read_int(each.get("r")) or number + 1
            if is_on(each.get("hidden"), missing=False) or each.get("ht") == "0":
                sheet.hidden_rows.append(number)
                if any(True for cell in each.iter(f"{_S}v", f"{_S}t")):
                    self.unread["rows_hidden"].append(name)
                continue
            if self._left <= 0:
                self.unread["rows_cut"].append(name)
                continue
            for column, cell in _place_cells(each):
                text = self._read_cell(cell, f"{name}!{cell.get('r') or number}")
                if text and column < len(hidden_columns) and hidden_columns[column]:
                    seen_hidden.add(column)
                elif text:
                    sheet.cells[number, column] = text
                    self._left -= 1
        self.unread["columns_hidden"] += [name] * len(seen_hidden)
        return sheet

    def _read_cell(self, cell: Any, place: str) -> str:
        """Return the text that a cell shows; empty of a struck one, and of a formula without a value."""
        style = _read_int(cell.get("s"))
        format = self._formats[style] if style < len(self._formats) else _Format()
        kind, value = cell.get("t", "n"), cell.findtext(f"{_S}v") or ""
        if kind != "str" and not value and cell.find(f"{_S}f") is not None:
            self.unread["formulas_without_value"].append(place)
        if format.is_struck:
            return ""
        if kind == "s":
            at = _read_int(value)
            text = self._strings[at] if value and at < len(self._strings) else ""
            return show_text(text, format.code) if text else ""
        if kind == "inlineStr":
            inline = cell.find(f"{_S}is")
            return _read_rich(inline) if inline is not None else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        if kind == "str":
            return show_text(_unescape(value), format.code) if value else ""
        if kind in {"e", "d"}:
            return value.removesuffix("T00:00:00")
        try:
            number = float(value)
        except ValueError:
            return value
        return show_number(number, format.code, since_1904=self._since_1904)

    def list_boxes(self, part: str) -> Iterator[str]:
        """Yield the lines of a sheet's text boxes, charts and diagrams, and count its pictures."""
        drawing = self._package.find(part, "drawing")
        if not drawing:
            return
        root = self._package.parse(drawing)
        self.unread["images"] += ["" for _ in root.iter(f"{_XDR}pic")]
        for shape in root.iter(f"{_XDR}txBody"):
            for paragraph in shape.iter(f"{A}p"):
                if text := "".join(each.text or "" for each in paragraph.iter(f"{A}t")).strip():
                    yield text
        yield from list_drawn_lines(root, self._package, drawing)

    def list_remarks(self, part: str, sheet: _Sheet, cells: dict[Place, str]) -> Iterator[str]:
        """Yield a sheet's comments, with the cells that they are on, and its printed headers and footers."""
        for reference, author, text, is_resolved in self._list_comments(part):
            place = _read_place(reference)
            value = cells.get(place, "") if place else ""
            on = f"{reference}: {value}" if value else reference
            yield write_comment(text, author, on, is_resolved=is_resolved)
        for kind, text in sheet.margins:
            yield from write_margins(kind, [_MARGIN_CODE.sub(" ", text)])

    def _list_comments(self, part: str) -> Iterator[tuple[str, str, str, bool]]:
        """Yield the cell, author and text of each comment, and whether it is resolved."""
        threads = self._package.find(part, "threadedComment")
        threaded = [*self._package.parse(threads)] if threads else []
        people = self._package.find(self.part, "person")
        persons = self._package.parse(people) if people else ()
        names = {each.get("id"): each.get("displayName") or "" for each in persons}
        done = {each.get("id") for each in threaded if is_on(each.get("done"), missing=False)}
        for each in threaded:
            is_resolved = bool({each.get("id"), each.get("parentId")} & done)
            text = "".join(text.text or "" for text in each.iterchildren("{*}text"))
            yield each.get("ref") or "", names.get(each.get("personId"), ""), text, is_resolved
        answered = {each.get("ref") for each in threaded}
        notes = self._package.find(part, "comments")
        root = self._package.parse(notes) if notes else None
        authors = [] if root is None else [each.text or "" for each in root.iter(f"{_S}author")]
        for each in () if root is None else root.iter(f"{_S}comment"):
            at, body = _read_int(each.get("authorId")), each.find(f"{_S}text")
            if each.get("ref") not in answered and body is not None:
                author = authors[at] if at < len(authors) else ""
                yield each.get("ref") or "", author, _read_rich(body), False


def read_workbook(body: bytes) -> Parsed:
    """Return the sheets of a workbook that are shown, each as a section with a table."""
    package = Package(body, _FORMAT)
    workbook = _Workbook(package)
    lines: list[str] = []
    chars = 0
    for name, part in workbook.list_sheets():
        if chars > MAX_TEXT_CHARS:
            workbook.unread["sheets_cut"].append(name)
            continue
        sheet = workbook.read_sheet(name, part)
        cells = dict(sheet.cells)
        table = [*_write_sheet(sheet)]
        shown = [*table, *workbook.list_boxes(part), *workbook.list_remarks(part, sheet, cells)]
        if sheet.cells and not table:
            workbook.unread["sheets_cut"].append(name)
        lines += ["", f"# {name}", "", *shown] if shown else []
        chars += sum(map(len, shown))
    text = tidy("\n".join(lines))
    if not re.search(r"^[^#\n]", text, re.MULTILINE):
        raise Unreadable("no_values")
    about = package.core
    return Parsed(
        text,
        XLSX,
        title=line(about.get("title")),
        author=line(about.get("author")),
        published=about.get("published") or None,
        sections=list_headings(text),
        unread=tuple(chain.from_iterable(starmap(list_unread, workbook.unread.items()))),
    )


def _write_sheet(sheet: _Sheet) -> Iterator[str]:
    """Yield the rows of a sheet without empty columns; separate blocks stay separate."""
    _fill_merged(sheet)
    rows: dict[int, dict[int, str]] = {}
    for (number, column), text in sheet.cells.items():
        rows.setdefault(number, {})[column] = text
    columns = sorted({column for cells in rows.values() for column in cells})
    if len(rows) * len(columns) > MAX_AREA:
        return
    before = 0
    for number, cells in sorted(rows.items()):
        hidden = bisect(sheet.hidden_rows, number) - bisect(sheet.hidden_rows, before)
        if before and number > before + 1 + hidden:
            yield ""
        before = number
        if len(cells) == 1 and columns[0] in cells:
            yield line(cells[columns[0]], len(cells[columns[0]]))
        else:
            yield row(cells.get(column, "") for column in columns)


def _fill_merged(sheet: _Sheet) -> None:
    """Repeat a merged cell in its rows, and in its columns where its row has other cells."""
    widths: dict[int, int] = {}
    for number, _ in sheet.cells:
        widths[number] = widths.get(number, 0) + 1
    left, numbers = MAX_FILLED, sorted(widths)
    for reference in sheet.merged:
        places = [_read_place(each) for each in reference.split(":")]
        if len(places) != 2 or None in places:
            continue
        (top, first), (bottom, last) = places  # type: ignore[misc] # neither is None
        text = sheet.cells.get((top, first), "")[:MAX_FILLED_CHARS]
        if not text or left <= 0:
            continue
        for number in numbers[bisect_left(numbers, top) : bisect(numbers, bottom)]:
            is_title = widths[number] == 1 and number == top
            for column in range(first, first + 1 if is_title else min(last, first + left) + 1):
                if left > 0 and (number, column) not in sheet.cells:
                    sheet.cells[number, column] = text
                    left -= 1


def _place_cells(element: Any) -> Iterator[tuple[int, Any]]:
    """Yield the cells of a row with their columns; a cell without a reference follows the last one."""
    column = 0
    for cell in element.iterchildren(f"{_S}c"):
        place = _read_place(cell.get("r") or "")
        column = place[1] if place else column + 1
        yield column, cell


def _read_place(reference: str) -> Place | None:
    """Parse a cell reference such as B7 into row and column."""
    found = _REFERENCE.fullmatch(reference.replace("$", ""))
    if not found:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]), column


def _read_hidden_columns(root: Any) -> bytearray:
    """Return 1 for each column that is hidden, by its number."""
    hidden = bytearray(_MAX_COLUMNS + 1)
    for each in root.iterfind(f"{_S}cols/{_S}col"):
        if is_on(each.get("hidden"), missing=False) or each.get("width") == "0":
            first = min(_read_int(each.get("min")), _MAX_COLUMNS)
            last = min(_read_int(each.get("max")), _MAX_COLUMNS)
            hidden[first : last + 1] = b"\1" * max(last + 1 - first, 0)
    return hidden


def _read_rich(element: Any) -> str:
    """Return a rich text without struck-out parts and with superscripts separated."""
    pieces: list[tuple[str, str]] = []
    for each in element:
        if each.tag == f"{_S}t":
            pieces.append((each.text or "", ""))
        elif each.tag == f"{_S}r":
            about = each.find(f"{_S}rPr")
            if not _is_struck(about):
                align = about.find(f"{_S}vertAlign") if about is not None else None
                text = each.findtext(f"{_S}t") or ""
                pieces.append((text, "" if align is None else align.get("val", "")))
    return _unescape(join_raised(pieces))


def _unescape(text: str) -> str:
    """Decode escapes such as _x000D_ in a text."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _is_struck(font: Any) -> bool:
    struck = font.find(f"{_S}strike") if font is not None else None
    return struck is not None and is_on(struck.get("val"))


def _read_int(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 8 else 0
