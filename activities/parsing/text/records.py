"""Comma-, semicolon- and tab-separated values: a record to a table's row."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from activities.parsing.document import MAX_TEXT_CHARS, Parsed, line, row, tidy
from contracts.documents import UnreadPart

_SEPARATORS = "\t;|,"
"""In order of preference, because cells may contain commas."""
_SAMPLE_CHARS, _SAMPLE_RECORDS = 100_000, 200
_MAX_CELL_LINES = 50
"""A quote that would open a longer cell is a plain character, such as an inch sign."""
_MAX_NAME_CHARS = 80
_MIN_RECORDS = 3
csv.field_size_limit(2**31 - 1)  # a text is bounded as a whole
Records = Iterator[list[str]]
_DOUBLED: Mapping[str, Any] = {}
_ESCAPED: Mapping[str, Any] = {"escapechar": "\\", "doublequote": False}
_PLAIN: Mapping[str, Any] = {"quoting": csv.QUOTE_NONE}
"""Options of `csv.reader` for files that double a quote within a cell, escape it, or quote no cells at all."""
_QUOTE_IN_CELL = re.compile(r'\\"[^\s,;|]')
"""A quote behind a backslash that does not end its cell, as that of a folder's name would."""


def read_delimited(text: str, media_type: str) -> Parsed:
    """Convert records to table rows, and note how many did not fit."""
    separator, rest = _find_separator(text)
    lines: list[str] = []
    chars = width = cut = total = 0
    for record in _parse(rest, separator):
        cells = _trim(record)
        if not cells:
            continue
        total += 1
        if cut:
            cut += 1
            continue
        width = width or len(cells)
        shown = line(cells[0], len(cells[0])) if len(record) == 1 else row(_pad(cells, width))
        chars += len(shown) + 1
        if chars > MAX_TEXT_CHARS:
            cut += 1
        else:
            lines.append(shown)
    unread = (UnreadPart(code="rows_cut", count=cut, of=total),) if cut else ()
    return Parsed(tidy("\n".join(lines)), media_type, unread=unread)


def is_delimited(text: str) -> bool:
    """Return whether a text without a label is a table: equal records below a line of names, with figures."""
    sample = text[:_SAMPLE_CHARS]
    if sample.startswith("|"):  # a table of Markdown
        return False
    separator, rest = _find_separator(sample)
    records = [record for record in islice(_parse(rest, separator), _SAMPLE_RECORDS) if record]
    if len(sample) < len(text):
        records = records[:-1]
    if separator == " " or len(records) < _MIN_RECORDS:
        return False
    names, *others = records
    least = 3 if separator == "," else 2
    return (
        len(names) >= least
        and all(len(record) == len(names) for record in others)
        and len({*names}) == len(names)
        and all(map(_is_name, names))
        and any(_is_figure(cell) for record in others for cell in record)
    )


def _is_name(cell: str) -> bool:
    return 0 < len(cell.strip()) <= _MAX_NAME_CHARS and not _is_figure(cell) and "\n" not in cell


def _is_figure(cell: str) -> bool:
    return cell.strip()[:1].isdigit() or cell.strip()[1:2].isdigit()


def _find_separator(text: str) -> tuple[str, str]:
    """Return the separator that divides most records equally, and the records; a space if there is none.

    On a tie, prefer the separator that also splits the first record: a column may contain a sign once in every cell.
    """
    head, _, rest = text.partition("\n")
    if head[:4].casefold() == "sep=" and len(head.strip("\r")) == 5:
        return head[4], rest
    best, found = (0.0, False), " "
    for separator in _SEPARATORS:
        records = islice(_parse(text[:_SAMPLE_CHARS], separator), _SAMPLE_RECORDS)
        widths = [len(record) for record in records if record]
        [(width, count)] = Counter(widths).most_common(1) or [(1, 0)]
        fit = round(count / max(len(widths), 1), 1), widths[:1] == [width]
        if width > 1 and fit > best:
            best, found = fit, separator
    return found, text


def _parse(text: str, separator: str) -> Records:
    """Yield records; a cell's quotes hold separators and line breaks, if they are closed."""
    sample = text[:_SAMPLE_CHARS]
    ways = [*([_ESCAPED] if _QUOTE_IN_CELL.search(sample) else []), _DOUBLED]
    way = next((way for way in ways if _are_quotes_closed(sample, separator, way)), _PLAIN)
    yield from _read(text, separator, way)


def _read(text: str, separator: str, way: Mapping[str, Any]) -> Records:
    lines = io.StringIO(text.replace("\x00", ""), newline="")
    yield from csv.reader(lines, delimiter=separator, skipinitialspace=True, **way)


def _are_quotes_closed(sample: str, separator: str, way: Mapping[str, Any]) -> bool:
    records = islice(_read(sample, separator, way), _SAMPLE_RECORDS)
    return all(cell.count("\n") <= _MAX_CELL_LINES for record in records for cell in record)


def _trim(record: list[str]) -> list[str]:
    """Return a record without the empty cells at its end."""
    last = next((n for n in range(len(record), 0, -1) if record[n - 1].strip()), 0)
    return record[:last]


def _pad(cells: list[str], width: int) -> list[str]:
    return cells + [""] * (width - len(cells))
