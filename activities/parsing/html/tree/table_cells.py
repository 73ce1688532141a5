"""Cells of tables: spanned ones are repeated, so that each row has its names, and tables within cells are text."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from lxml import etree
from lxml.etree import XPath

from activities.parsing.html.tree.context import count_chars, replace_by_text

MAX_COPIES = 10_000
"""Cells that are repeated in a page."""
MAX_COPIED_CHARS = 200
"""A cell with more text is a layout column, and is written once."""
MAX_ALL_COPIED_CHARS = 200_000
MAX_SPAN = 1_000
MAX_COLUMNS = 200
MAX_PADDED = 100
"""Cells that an extractor may pad for one that is not repeated."""
MAX_INNER_CHARS, MAX_INNER_CELLS = 1_000, 60
"""A larger table within a cell is a layout's content."""
_ROLE_TABLES = XPath("/descendant::div[@role='table' or @role='grid']")
_INNER_TABLES = XPath("/descendant::table[ancestor::table]")
_SPANNING = XPath("/descendant::tr/*[@rowspan or (@colspan and (self::th or ancestor::thead))]")
_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_ROLES = {"row": "tr", "cell": "td", "gridcell": "td", "columnheader": "th", "rowheader": "th"}


@dataclass
class _Budget:
    copies: int = MAX_COPIES
    chars: int = MAX_ALL_COPIED_CHARS

    def reserve(self, text: str, copies: int) -> bool:
        """Reserve copies of a text; return False, reserving nothing, if the budget does not suffice."""
        chars = len(text) * copies
        if len(text) > MAX_COPIED_CHARS or self.copies < copies or self.chars < chars:
            return False
        self.copies -= copies
        self.chars -= chars
        return True


@dataclass(frozen=True)
class _Spanned:
    """A column that a cell of a row above reaches into; without a tag it is left to the extractor."""

    last_row: int
    tag: str = ""
    text: str = ""


def fill_tables(tree: Any) -> None:
    """Write tables so that each row can be read alone."""
    _name_roles(tree)
    for inner in reversed(_INNER_TABLES(tree)):
        _flatten(inner)
    budget = _Budget()
    spanning = _SPANNING(tree)
    tables = dict.fromkeys(next(cell.iterancestors("table"), None) for cell in spanning)
    for table in tables:
        if table is not None:
            _repeat_spanned(table, budget)


def _name_roles(tree: Any) -> None:
    """Make tables of elements that have the roles of a table's parts."""
    for table in _ROLE_TABLES(tree):
        rows = [tag for tag in table.iterdescendants("div", "span") if tag.get("role") == "row"]
        if not rows:
            continue
        table.tag = "table"
        for tag in table.iterdescendants("div", "span", "p"):
            tag.tag = _ROLES.get(tag.get("role") or "", tag.tag)
            if tag.get("role") == "rowgroup":
                tag.tag = "tbody"


def _flatten(table: Any) -> None:
    """Write a small table within a cell as text: its rows, each ended by a semicolon."""
    cells = table.xpath("count(.//td | .//th)")
    if cells > MAX_INNER_CELLS or count_chars(table) > MAX_INNER_CHARS or not _is_in_data(table):
        return
    rows = (" ".join(filter(None, map(_flat_text, _list_cells(row)))) for row in _list_rows(table))
    replace_by_text(table, f" {'; '.join(filter(None, rows))} ")


def _is_in_data(table: Any) -> bool:
    """Return whether the row around a table has other cells with text, as few layouts have."""
    row = next(table.iterancestors("tr"), None)
    if row is None:
        return False
    texts = [count_chars(cell) for cell in _list_cells(row)]
    return sum(0 < chars <= MAX_INNER_CHARS for chars in texts) > 1


def _list_rows(table: Any) -> Iterator[Any]:
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in _SECTIONS:
            yield from (row for row in child if row.tag == "tr")


def _list_cells(row: Any) -> list[Any]:
    return [cell for cell in row if cell.tag in {"td", "th"}]


def _flat_text(tag: Any) -> str:
    return " ".join(" ".join(tag.itertext()).split())


def _repeat_spanned(table: Any, budget: _Budget) -> None:
    """Repeat the text of cells in the rows and columns that they span."""
    for _, group in groupby(_list_rows(table), key=lambda row: row.getparent()):
        columns: dict[int, _Spanned] = {}  # no cell reaches beyond its section
        rows = [*group]
        for number, row in enumerate(rows):
            _fill_row(row, number, len(rows) - number, columns, budget)


def _fill_row(
    row: Any, number: int, rows_left: int, columns: dict[int, _Spanned], budget: _Budget
) -> None:
    cells = _list_cells(row)
    is_head = row.getparent().tag == "thead"
    texts = [*map(_flat_text, cells)]
    spans_rows = (_read_span(cell, "rowspan") > 1 for cell in cells)
    repeats = is_head or any(text and spans for text, spans in zip(texts, spans_rows, strict=True))
    is_title = len(cells) == 1  # and spans the table: a heading of it
    column, opened = 0, {}
    for cell, text in zip(cells, texts, strict=True):
        column = _insert_spanned(cell.addprevious, column, number, columns)
        width, height = _read_span(cell, "colspan"), min(_read_span(cell, "rowspan"), rows_left)
        spanned = _Spanned(number + height - 1)
        is_named = not is_title and (repeats or cell.tag == "th")
        if is_named and width * height > 1:
            is_copied = budget.reserve(text, width * height - 1)
            if is_copied or width * height > MAX_PADDED:
                cell.attrib.pop("rowspan", None)
                cell.attrib.pop("colspan", None)
            if is_copied:
                spanned = _Spanned(spanned.last_row, cell.tag, text)
                for _ in range(width - 1):
                    _insert(cell.addnext, spanned)
        if height > 1:
            opened.update(dict.fromkeys(range(column, min(column + width, MAX_COLUMNS)), spanned))
        column += width
    _insert_spanned(row.append, column, number, columns)
    columns.update(opened)


def _insert_spanned(
    insert: Callable[[Any], None], column: int, number: int, columns: dict[int, _Spanned]
) -> int:
    """Insert the cells that reach into a row from a column on; return the next free column."""
    while (spanned := columns.get(column)) and spanned.last_row >= number:
        _insert(insert, spanned)
        column += 1
    return column


def _insert(insert: Callable[[Any], None], spanned: _Spanned) -> None:
    if spanned.tag:
        copy = etree.Element(spanned.tag)
        copy.text = spanned.text
        insert(copy)


def _read_span(cell: Any, name: str) -> int:
    """Return how many columns or rows a cell spans; 0 rows means all that follow in its section."""
    value = (cell.get(name) or "").strip()
    if not (value.isdecimal() and value.isascii()):
        return 1
    return min(int(value) or (MAX_SPAN if name == "rowspan" else 1), MAX_SPAN)
