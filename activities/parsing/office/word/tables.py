"""Converts a Word document's tables to one paragraph per row, with merged cells filled."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from activities.parsing.office.package import is_on, read_int, remove
from activities.parsing.office.word.styles import W, get_value, make_run

MAX_SPAN = 63
"""Word's limit of columns."""
MAX_COPIED_CHARS = 200
"""Characters of a cell merged over rows that are repeated in each."""
_EDGE, _BETWEEN, _END = "| ", " | ", " |"


@dataclass
class _Cell:
    element: Any
    span: int
    repeated: str = ""
    """The text of the merged cell above, repeated here."""


def write_tables(root: Any) -> None:
    """Replace each table by paragraphs of the form `| cell | cell |`, and nested tables by their text.

    A merge without a matching cell above is ignored: the cell keeps its own text.
    """
    for table in reversed([*root.iter(f"{W}tbl")]):
        rows = [*_list_rows(table)]
        if any(True for _ in table.iterancestors(f"{W}tc")):
            _replace_inner(table, rows)
        else:
            for number, (is_head, cells) in enumerate(rows):
                table.addprevious(_write_row(cells, repeats=is_head or number == 0))
            remove(table)


def _list_rows(table: Any) -> Iterator[tuple[bool, list[_Cell]]]:
    """Yield the rows of a table, each with whether it is a header."""
    above: dict[int, str] = {}
    for row in table.iterchildren(f"{W}tr"):
        about = row.find(f"{W}trPr")
        column = 0 if about is None else _read_span(about, "gridBefore", 0)
        cells = [_Cell(etree.Element(f"{W}tc"), 1) for _ in range(column)]
        for element in row.iterchildren(f"{W}tc"):
            cell = _read_cell(element, column, above)
            cells.append(cell)
            column += cell.span
        head = None if about is None else about.find(f"{W}tblHeader")
        yield head is not None and is_on(head.get(f"{W}val")), cells


def _read_cell(element: Any, column: int, above: dict[int, str]) -> _Cell:
    about = element.find(f"{W}tcPr")
    if about is None:
        above.pop(column, None)
        return _Cell(element, 1)
    cell = _Cell(element, _read_span(about, "gridSpan", 1) or 1)
    merge = about.find(f"{W}vMerge")
    if merge is None:
        above.pop(column, None)
    elif merge.get(f"{W}val") == "restart":
        above[column] = _read_text(element)
    elif not _read_text(element):
        cell.repeated = above.get(column, "")
    return cell


def _read_span(about: Any, name: str, default: int) -> int:
    return min(max(read_int(get_value(about, name), default), 0), MAX_SPAN)


def _read_text(element: Any) -> str:
    """Return the start of a cell's text, without marks that are raised above it."""
    words: list[str] = []
    chars = 0
    for text in element.iter(f"{W}t"):
        run = text.getparent().find(f"{W}rPr")
        if run is None or run.find(f"{W}vertAlign") is None:
            words.append(text.text or "")
            chars += len(words[-1])
        if chars > MAX_COPIED_CHARS:
            break
    return " ".join("".join(words).split())[:MAX_COPIED_CHARS]


def _write_row(cells: list[_Cell], *, repeats: bool) -> Any:
    """Return a row as a paragraph; a spanning cell is written once, or in each of its columns in a header."""
    paragraph = etree.Element(f"{W}p")
    for number, cell in enumerate(cells):
        paragraph.append(make_run(_BETWEEN if number else _EDGE))
        text = _escape(_read_text(cell.element)) if repeats and cell.span > 1 else ""
        if cell.repeated:
            paragraph.append(make_run(_escape(cell.repeated)))
        else:
            _move_content(cell.element, paragraph)
        if len(cells) > 1:
            for _ in range(cell.span - 1):
                paragraph.append(make_run(_BETWEEN + text))
    paragraph.append(make_run(_END))
    return paragraph


def _replace_inner(table: Any, rows: list[tuple[bool, list[_Cell]]]) -> None:
    """Replace a table within a cell by a paragraph: `first row; second row`."""
    paragraph = etree.Element(f"{W}p")
    for number, (_, cells) in enumerate(rows):
        for at, cell in enumerate(cells):
            paragraph.append(make_run(" " if at else "; " if number else ""))
            _move_content(cell.element, paragraph, escapes=False)
    table.addprevious(paragraph)
    remove(table)


def _move_content(cell: Any, paragraph: Any, *, escapes: bool = True) -> None:
    """Move the content of a cell's paragraphs to the end of a row's."""
    has_text = False
    for line_end in cell.iter(f"{W}br", f"{W}cr"):  # a row is one line
        line_end.tag, line_end.text = f"{W}t", " "
    for each in cell.iterchildren(f"{W}p"):
        for text in each.iter(f"{W}t") if escapes else ():
            text.text = _escape(text.text or "")
        content = [child for child in each if child.tag != f"{W}pPr"]
        if content and has_text:
            paragraph.append(make_run(" "))
        has_text = has_text or bool(content)
        paragraph.extend(content)


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
