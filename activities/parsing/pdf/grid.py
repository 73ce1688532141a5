"""Tables of a page: cells in columns, a line for each row, with what wraps put together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from activities.parsing.document import row as write_row
from activities.parsing.pdf.glyphs import HYPHEN, Word
from activities.parsing.pdf.layout import NARROW, WIDE, TextRow

_CURRENCY = re.compile(r"(?:US|C|A|HK)?[$€£¥](?:\()?\Z|\(\Z")
_OPENING = frozenset("$€£¥(")
_TAIL = re.compile(r"[)%]{1,2}\Z")
_FIGURE = re.compile(
    r"(?=.{0,40}[\d—–-])[-−–—+(]{0,4}[$€£¥]?[-−–—(]{0,4}[\d.,]{0,40}[)%]{0,4}(?: ?\[\w{1,3}\])?\Z"
)
_YEAR = re.compile(r"(?:19|20)\d\d(?: ?\[\w{1,3}\])?\Z")
_AMOUNT = re.compile(r"(?:US|C|A|HK)?[$€£¥(]{0,2}\d")
"""What a cell of amounts in words begins with, as in `4% to 5%`."""
_BEFORE_TAIL = frozenset("0123456789-–—)")
_TOUCHING = 0.05
_LEADERS = re.compile(r"[.·_ …]{3,}\Z")
_BULLET = re.compile(
    r"(?:[•●▪■◦·‣–—*-]|[☐☒☑✓✔þ¨oO]|\(?\d{1,2}[.)]|\(?[a-zA-Z]{1,2}[.)]|\(?[ivxIVX]{1,4}[.)]|\[\w{1,3}\]"
    r"|(?:Item|Note|Part|Section|Chapter)\s[\dA-Z]{1,3}[.:]?)\Z"
)
"""List markers and heading prefixes; the gap after one does not separate table columns."""
_GROUPED = re.compile(r"\d{1,3} \d{3}\Z")
_MAX_FIGURE = 40
_MIN_PROSE = 8
"""Words of a line between which the usual gap is known, at least."""
_MAX_COLUMNS = 60
_MAX_WRAPPED = 12
"""Lines of one row of a table, at most."""
_MAX_BETWEEN = 3
"""Rows of one cell between two rows of a table, at most."""


@dataclass(slots=True)
class Line:
    """A line of text, or a table's row: where it is on the page, and how large it is written."""

    text: str
    y: float
    left: float
    right: float
    height: float
    first: int
    is_row: bool = False
    is_bold: bool = False
    is_apart: bool = False
    """It has wide gaps, and is no line of a paragraph."""
    block: int = 0
    width: float = 0
    """Of its block."""


class _Cells(NamedTuple):
    row: TextRow
    cells: list[Word]


def read_lines(rows: Sequence[TextRow], rules: Sequence[float] = ()) -> list[Line]:
    """Return a block's lines; `rules` are the heights at which a horizontal line is drawn."""
    read = [_Cells(row, split_cells(row)) for row in rows]
    lines: list[Line] = []
    at = last = 0
    while at < len(read):
        end = _find_table_end(read, at)
        if end is None:
            lines.append(_to_line(read[at].row))
            lines[-1].is_apart = len(read[at].cells) > 1
            at += 1
            continue
        start = _find_head_start(read, at, last)
        del lines[len(lines) - (at - start) :]
        lines += _read_table(read[start:end], rules)
        at = last = end
    return lines


def _to_line(row: TextRow) -> Line:
    return Line(row.text, row.y, row.left, row.right, row.height, row.first)


def split_cells(row: TextRow) -> list[Word]:
    """Return the cells of a row: a currency's sign and a bracket go with their figure."""
    height = row.height
    if row.gap < NARROW * height:
        return [(row.left, row.right, row.text)]
    cells: list[tuple[float, float, list[str]]] = []
    for left, right, text in row.words:
        if not cells:
            cells.append((left, right, [text]))
            continue
        begin, end, words = cells[-1]
        gap = left - end
        last = words[-1]
        is_tail = text[0] in ")%" and gap < 1.5 * height and last[-1:] in _BEFORE_TAIL
        if (is_tail and _TAIL.match(text)) or _is_currency(last):
            words[-1] += text
            cells[-1] = (begin, right, words)
        elif gap >= WIDE * height or _divides(last, text, gap / height, row):
            cells.append((left, right, [text]))
        else:
            words.append(text)
            cells[-1] = (begin, max(right, end), words)
    found = [(left, right, " ".join(words)) for left, right, words in cells]
    if len(found) > 1:
        found = [cell for cell in found if not _LEADERS.match(cell[2])] or found[:1]
    if len(found) == 2 and _BULLET.match(found[0][2]):
        found = [(found[0][0], found[1][1], f"{found[0][2]} {found[1][2]}")]
    return found


def _find_narrow(row: TextRow) -> float:
    """Return the gap in heights from which two figures are two cells: wider than between the words of a justified line."""
    if len(row.words) <= _MIN_PROSE:
        return NARROW
    figures = [is_figure(word[2]) for word in row.words]
    pairs = zip(pairwise(row.words), pairwise(figures), strict=True)
    gaps = [after[0] - word[1] for (word, after), both in pairs if not all(both)]
    if len(gaps) < _MIN_PROSE:
        return NARROW
    return max(NARROW, 1.5 * sorted(gaps)[len(gaps) // 2] / row.height)


def _divides(last: str, text: str, gap: float, row: TextRow) -> bool:
    """Tell whether two words with a small gap are two cells: two figures, or a currency's sign."""
    if gap <= _TOUCHING:
        return False
    if _is_currency(text):
        return is_figure(last)
    if gap < NARROW or not (is_figure(last) and is_figure(text)):
        return False
    return not _GROUPED.match(f"{last} {text}") and gap >= _find_narrow(row)


def _is_currency(text: str) -> bool:
    """Tell whether a word is a currency's sign or a bracket, which goes with the figure behind it."""
    return text[-1] in _OPENING and bool(_CURRENCY.match(text))


def is_figure(text: str) -> bool:
    """Tell whether a cell holds a figure or a dash, and no year."""
    if len(text) > _MAX_FIGURE or text[:1].isalpha():
        return False
    return bool(_FIGURE.match(text)) and not _YEAR.match(text)


def _find_table_end(read: Sequence[_Cells], at: int) -> int | None:
    """Return the index where the table starting at row `at` ends, or None if no table starts there."""
    if len(read[at].cells) < 2:
        return None
    first = last = at
    left = read[at].row.left
    at += 1
    while at < len(read) and at - last <= _MAX_BETWEEN + 1:
        above, here = read[at - 1].row, read[at].row
        if here.turn != above.turn or here.y - above.y > 3.2 * max(here.height, above.height):
            break
        if len(read[at].cells) > 1:
            last = at
            left = min(left, here.left)
        elif _is_prose(read[last].cells, here, here.y - above.y, left):
            break
        at += 1
    return _find_wrapped_end(read, last) if last > first else None


def _find_wrapped_end(read: Sequence[_Cells], last: int) -> int:
    """Return where a table ends whose last row may have a cell that goes on below it."""
    starts = [left for left, _, _ in read[last].cells[1:]]
    end = last + 1
    while end < len(read) and end - last <= _MAX_BETWEEN and len(read[end].cells) == 1:
        row, above = read[end].row, read[end - 1].row
        is_below = any(abs(row.left - start) < 2 for start in starts)
        if not is_below or row.y - above.y > 1.6 * row.height or is_figure(row.text):
            break
        end += 1
    return end


def _is_prose(cells: Sequence[Word], row: TextRow, gap: float, left: float) -> bool:
    """Tell whether a row of one cell ends a table: a paragraph over its columns, or a title."""
    if row.left >= cells[1][0] - row.height:
        return False
    if row.left >= left + 4 * row.height:
        return True
    crosses = row.right > cells[1][0] + row.height
    is_name = len(row.text) <= 60 or row.text.endswith(":")
    return crosses and (gap > 1.7 * row.height or not is_name)


def _find_head_start(read: Sequence[_Cells], at: int, first: int) -> int:
    """Return where a table's head begins: rows of one cell above it that stand over its columns alone."""
    start = at
    column = read[at].cells[1][0]
    while start > max(at - 3, first):
        above, below = read[start - 1].row, read[start].row
        if len(read[start - 1].cells) != 1 or above.turn != below.turn:
            break
        is_near = below.y - above.y < 1.8 * max(above.height, below.height)
        if not is_near or above.left < column - 4 * above.height or len(above.text) > 60:
            break
        start -= 1
    return start


def _read_table(read: Sequence[_Cells], rules: Sequence[float]) -> list[Line]:
    columns = _find_columns(read)
    if not 1 < len(columns) <= _MAX_COLUMNS:
        return [_to_line(each.row) for each in read]
    placed = [_place(each.cells, columns) for each in read]
    columns, placed = _merge_columns(read, columns, placed)
    if len(columns) < 2:
        return [_to_line(each.row) for each in read]
    heads = _count_heads(placed)
    spans = [_spread(each.cells, columns) for each in read[:heads]]
    head = _merge_rows(spans) if heads else None
    rows, firsts = _join_wrapped(read[heads:], placed[heads:], rules)
    top, block = read[0].row, [each.row for each in read]
    left, right = min(row.left for row in block), max(row.right for row in block)
    lines = []
    if head:
        rule = "|" + "---|" * len(columns)
        lines.append(Line(f"{write_row(head)}\n{rule}", top.y, left, right, top.height, top.first))
    for cells, row in zip(rows, firsts, strict=True):
        lines.append(Line(write_row(cells), row.y, left, right, row.height, row.first))
    for line in lines:
        line.is_row = True
    return lines


def _find_columns(read: Sequence[_Cells]) -> list[tuple[float, float]]:
    """Return the columns of a table, found from its figures on, the narrowest first."""
    cells = [cell for each in read if len(each.cells) > 1 for cell in each.cells]
    columns: list[tuple[float, float]] = []
    cells.sort(key=lambda cell: (not is_figure(cell[2]), cell[1] - cell[0]))
    for left, right, _ in cells:
        hits = [at for at, (begin, end) in enumerate(columns) if begin < right and left < end]
        if not hits and len(columns) <= _MAX_COLUMNS:
            columns.append((left, right))
        elif len(hits) == 1:
            begin, end = columns[hits[0]]
            columns[hits[0]] = (min(begin, left), max(end, right))
    return sorted(columns)


def _place(cells: Sequence[Word], columns: Sequence[tuple[float, float]]) -> list[str]:
    """Return a row's cells by column, each in the first that it stands over most."""
    row = [""] * len(columns)
    for left, right, text in cells:
        overlaps = [min(right, end) - max(left, begin) for begin, end in columns]
        best = max(overlaps)
        width = 0.5 * min(right - left, best) if best > 0 else best
        at = next(n for n, overlap in enumerate(overlaps) if overlap >= width)
        row[at] = f"{row[at]} {text}" if row[at] else text
    return row


def _spread(cells: Sequence[Word], columns: Sequence[tuple[float, float]]) -> list[str]:
    """Return a head's row: where several of its cells span columns, each is repeated over its own."""
    hits = [
        [n for n, (begin, end) in enumerate(columns) if begin < right and left < end]
        for left, right, _ in cells
    ]
    if sum(len(hit) > 1 for hit in hits) < 2 or not all(hits):
        row = _place(cells, columns)
        filled = [n for n, cell in enumerate(row) if n and cell]
        if len(filled) == 1 and len(hits[-1]) > 1:  # it spans them all
            row[1], row[filled[0]] = row[filled[0]], row[1]
        return row
    row = [""] * len(columns)
    for (_, _, text), hit in zip(cells, hits, strict=True):
        for at in hit:
            row[at] = f"{row[at]} {text}" if row[at] else text
    return row


def _merge_columns(
    read: Sequence[_Cells], columns: list[tuple[float, float]], placed: list[list[str]]
) -> tuple[list[tuple[float, float]], list[list[str]]]:
    """Return columns with neighbours merged that only indents or a head made two."""
    at, heads = 1, _count_heads(placed)
    while at < len(columns):
        pairs = [(row[at - 1], row[at]) for row in placed]
        is_split = _complete(pairs[:heads], pairs[heads:])
        if any(a and b for a, b in pairs) or not (is_split or not any(map(_has_figure, pairs))):
            at += 1
            continue
        columns[at - 1 : at + 1] = [(columns[at - 1][0], columns[at][1])]
        for row in placed:
            row[at - 1 : at + 1] = [row[at - 1] or row[at]]
    return columns, placed


def _complete(head: Sequence[tuple[str, str]], body: Sequence[tuple[str, str]]) -> bool:
    """Tell whether one of two columns has the head alone, and the other what stands below it."""
    first, second = ((any(a for a, _ in rows), any(b for _, b in rows)) for rows in (head, body))
    return any(first) and any(second) and first != second and not (all(first) or all(second))


def _has_figure(pair: tuple[str, str]) -> bool:
    return any(map(is_figure, filter(None, pair)))


def _count_heads(placed: Sequence[Sequence[str]]) -> int:
    """Return how many rows at the top are the head: those before the first with a figure."""
    body = next((n for n, row in enumerate(placed) if any(map(is_figure, row[1:]))), None)
    if body is None:  # words alone: the first row is the head if it names each of several columns
        return int(len(placed) > 2 and len(placed[0]) > 2 and all(placed[0]))
    while body and not any(placed[body - 1][1:]):
        body -= 1  # a group's name, as in "Current assets:"
    return body


def _merge_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    return [" ".join(filter(None, column)) for column in zip(*rows, strict=True)]


def _join_wrapped(
    read: Sequence[_Cells], placed: Sequence[list[str]], rules: Sequence[float]
) -> tuple[list[list[str]], list[TextRow]]:
    """Return a table's rows with those put together whose cells wrap, and the first line of each."""
    starts = _find_starts(read, placed, rules)
    rows: list[list[str]] = []
    firsts: list[TextRow] = []
    wrapped = 0
    for n, (each, cells) in enumerate(zip(read, placed, strict=True)):
        goes_on = n not in starts if starts else _goes_on(read, placed, n)
        wrapped = wrapped + 1 if goes_on else 0
        if rows and goes_on and wrapped < _MAX_WRAPPED:
            rows[-1] = [_join_cell(a, b) for a, b in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
            firsts.append(each.row)
    return rows, firsts


def _join_cell(above: str, below: str) -> str:
    if above.endswith(HYPHEN):
        return above + below
    return f"{above} {below}" if above and below else above or below


def _goes_on(read: Sequence[_Cells], placed: Sequence[Sequence[str]], n: int) -> bool:
    """Tell whether a row goes on with the one above: its label in lower case, or in a bracket that is open, where one of the two has no figures."""
    if n == 0 or read[n].row.y - read[n - 1].row.y > 1.6 * read[n].row.height:
        return False
    above, here = placed[n - 1], placed[n]
    if not here[0]:
        return not any(map(is_figure, here)) and not any(map(_YEAR.match, here))
    is_one_label = not any(above[1:]) or not any(here[1:])
    is_open = here[0][:1].islower() or above[0].count("(") > above[0].count(")")
    return is_one_label and is_open and bool(above[0]) and above[0][-1] not in ".:;"


def _find_starts(
    read: Sequence[_Cells], placed: Sequence[Sequence[str]], rules: Sequence[float]
) -> set[int]:
    """Return the rows that begin a table's row, where rules or larger gaps divide cells of wrapped text."""
    if len(read) < 3:
        return set()
    ruled = {
        n
        for n, (above, here) in enumerate(pairwise(read), 1)
        if any(above.row.y < rule < here.row.y for rule in rules)
    }
    gaps = [below.row.y - above.row.y for above, below in pairwise(read)]
    spaced = {n for n, gap in enumerate(gaps, 1) if gap > 1.3 * min(gaps)}
    full = sum(len(each.cells) > 1 for each in read)
    for starts in ({0, *ruled}, {0, *spaced}) if full > 0.6 * len(read) else ():
        if 1 < len(starts) < len(read) and _hold_one_row(placed, starts):
            return starts
    return set()


def _hold_one_row(placed: Sequence[Sequence[str]], starts: set[int]) -> bool:
    """Tell whether no part of a table between two starts has two figures in one column."""
    filled: set[int] = set()
    wraps = 0
    for n, row in enumerate(placed):
        if n in starts:
            filled = set()
        begins = bool(row[0]) and not row[0][0].islower()
        figures = {
            at
            for at, cell in enumerate(row)
            if cell
            and (is_figure(cell) or _YEAR.match(cell) or (at and begins and _AMOUNT.match(cell)))
        }
        if figures & filled or (n not in starts and row[0] and any(map(is_figure, row[1:]))):
            return False
        filled |= figures
        wraps += n not in starts and sum(map(bool, row)) > 1
    return wraps > 0 and len(starts) * 6 > len(placed)
