"""Tables as CSV files, written so that spreadsheets execute nothing, and read back."""

import csv
import io

from contracts.agents.tool_definitions import TableArgs, TableCell

FORMULA_PREFIXES = ("=", "+", "-", "@")
"""First characters of a text that a spreadsheet would execute."""


def to_csv(table: TableArgs) -> bytes:
    """Write a table as CSV without cells that a spreadsheet would execute."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(map(_defuse, table.columns))
    writer.writerows([_defuse(format_cell(cell)) for cell in row] for row in table.rows)
    return text.getvalue().encode()


def _defuse(text: str) -> str:
    if not text.startswith(FORMULA_PREFIXES):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def read_csv(body: bytes) -> list[list[str]]:
    """Return the rows of a table as `to_csv` wrote them, its columns first."""
    rows = csv.reader(io.StringIO(body.decode(), newline=""))
    return [[_restore(cell) for cell in row] for row in rows]


def _restore(text: str) -> str:
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA_PREFIXES) else text


def format_cell(cell: TableCell) -> str:
    """Return a cell as text; a whole number has no decimal point."""
    if cell is None:
        return ""
    return f"{cell:.15g}" if isinstance(cell, float) else cell
