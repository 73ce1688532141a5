"""Columns of tables: which hold figures, and the unit that all of a column's figures share."""

import re
from collections.abc import Sequence

from contracts.report.document import Column
from domain.evidence.figures.figure_parser import BLANKS

MAX_FIGURE_CHARS = 40
_FIGURE = re.compile(
    r"(?P<sign>[-+−–]?)(?P<money>[A-Z]{0,3}[$€£¥]|)\s?"
    rf"(?P<number>[-+−]?\d(?:[\d.,'’]|[{BLANKS}](?=\d{{3}}(?!\d)))*+)"
    r"\s?(?P<unit>[%$€£¥]|[^\W\d_]{1,12}|)"
)


def describe_columns(labels: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Column]:
    """Return a table's columns; the first names its rows, unless all of it are figures as well."""
    return [
        _describe(label, [row[n] for row in rows if n < len(row)]) for n, label in enumerate(labels)
    ]


def strip_units(rows: Sequence[Sequence[str]], columns: Sequence[Column]) -> list[list[str]]:
    """Return the cells without the units that stand in the heads of their columns."""
    return [
        [
            _strip(cell) if n < len(columns) and columns[n].unit else cell
            for n, cell in enumerate(row)
        ]
        for row in rows
    ]


def _describe(label: str, cells: Sequence[str]) -> Column:
    """Return a column; it has a unit where each of its figures has that one."""
    found = [_match(cell) for cell in cells if cell.strip(" –-")]
    if not found or not all(found):
        return Column(label=label)
    units = {match["money"] or match["unit"] for match in found if match}
    unit = units.pop() if len(units) == 1 else ""
    return Column(label=label, unit=unit, is_figure=True)


def _match(cell: str) -> re.Match[str] | None:
    cell = cell.strip()
    return _FIGURE.fullmatch(cell) if len(cell) <= MAX_FIGURE_CHARS else None


def _strip(cell: str) -> str:
    match = _match(cell)
    return f"{match['sign']}{match['number']}" if match else cell
