"""Tables as text: a row to a line, and no more columns than a reader sees."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

_BEFORE, _BEHIND = {"$", "€", "£", "¥", "(", "-", "US$"}, {")", "%", ")%"}
"""Signs that pages, companies' filings above all, set in a cell beside their figure's."""


def narrow_tables(text: str) -> str:
    """Return a text whose tables have lost the columns that only set figures out."""
    lines: list[str] = []
    for width, found in groupby(text.split("\n"), _count_cells):
        table = list(found)
        lines += table if width < 2 else _narrow([_split(line) for line in table])
    return "\n".join(lines)


def _count_cells(line: str) -> int:
    """Return how many cells a line has; 0: it is no row."""
    return len(_split(line)) if line.startswith("|") else 0


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.rstrip().removesuffix("|").split("|")[1:]]


def _narrow(rows: list[list[str]]) -> Iterator[str]:
    """Yield rows with neighbouring columns joined of which no row fills both."""
    columns: list[Sequence[str]] = []
    for column in zip(*rows, strict=True):
        if columns and all(map(_can_join, columns[-1], column)):
            columns[-1] = [left + right for left, right in zip(columns[-1], column, strict=True)]
        else:
            columns.append(column)
    yield from map(_to_line, zip(*columns, strict=True))


def _can_join(left: str, right: str) -> bool:
    return not (left and right) or left in _BEFORE or right in _BEHIND


def _to_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
