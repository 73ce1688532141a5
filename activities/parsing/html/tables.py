"""Tables as text: a row to a line, and no more columns than a reader sees."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

_BEFORE, _BEHIND = {"$", "€", "£", "¥", "(", "-", "US$"}, {")", "%", ")%"}
"""Signs that pages (mostly companies' filings) put into a cell next to their figure's."""
_MAX_JOINED = 50
"""Columns joined to one: with each, all of its text is copied."""


def narrow_tables(text: str) -> str:
    """Merge columns of a text's tables that only exist for layout."""
    if "\n|" not in text and text[:1] != "|":
        return text
    read = ((line, _split(line)) for line in text.split("\n"))
    lines: list[str] = []
    for width, found in groupby(read, lambda pair: len(pair[1])):
        said, rows = zip(*found, strict=True)
        lines += said if width < 2 else _narrow(rows)
    return "\n".join(lines)


def _split(line: str) -> list[str]:
    """Return a table row's cells; empty for other lines."""
    if not line.startswith("|"):
        return []
    return [cell.strip() for cell in line.rstrip().removesuffix("|").split("|")[1:]]


def _narrow(rows: Iterable[list[str]]) -> Iterator[str]:
    """Yield rows with neighbouring columns joined if no row fills both."""
    columns: list[Sequence[str]] = []
    joined = 0
    for column in zip(*rows, strict=True):
        if columns and joined < _MAX_JOINED and _are_one(columns[-1], column):
            columns[-1] = [*map(_join, columns[-1], column)]
            joined += 1
        else:
            columns.append(column)
            joined = 0
    yield from map(_to_line, zip(*columns, strict=True))


def _are_one(left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether two columns are one: no row fills both, except a sign next to its figure or a shared header."""
    both = [(a, b) for a, b in zip(left, right, strict=True) if a and b]
    signs = sum(a in _BEFORE or b in _BEHIND for a, b in both)
    return signs == len(both) or (signs > 0 and signs + _count_heads(both) == len(both))


def _count_heads(pairs: Sequence[tuple[str, str]]) -> int:
    """Return how many rows at the top repeat one text, as headers that span both columns do."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _join(left: str, right: str) -> str:
    return left if left == right else left + right


def _to_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
