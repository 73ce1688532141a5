"""Detects tables on a page: cells in columns, one line per row, with wrapped cells joined."""

import re
from bisect import bisect, bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from activities.parsing.document import row as write_row
from activities.parsing.pdf.glyphs import HYPHEN
from activities.parsing.pdf.layout import NARROW, WIDE
from activities.parsing.pdf.lines import Line, Word

_CURRENCY = re.compile(r"(?:US|C|A|HK)?[$€£¥](?:\()?\Z|\(\Z")
_SIGN = re.compile(r"[$€£¥]\Z")
_OPENING = frozenset("$€£¥(")
_TAIL = re.compile(r"[)%]{1,2}\Z")
_TAIL_OR_SIGN = re.compile(r"[)%$€£¥]{1,2}\Z")
"""Ends of a figure in a row that writes currency signs after figures; its last word tells that it does."""
_SIGNS = "$€£¥₹₩₽₺"
_UNIT = (
    rf"(?:[{_SIGNS}%]|bn|mn|[kmM]|[Mm]io\.?|[Mm]rd\.?|Tsd\.?|[kMGT]?(?:Wh?|t|g|B|b)|[kcm]?m[²³]?|ha|l|h|x|pp|pts?|bps"
    r"|hundred|thousand|million|billion)"
)
_FIGURE = re.compile(
    rf"(?=.{{0,40}}[\d—–-])[-−–—+(]{{0,4}}(?:[A-Z]{{0,3}}[{_SIGNS}] ?|[A-Z]{{3}} (?=\d))?[-−–—(]{{0,4}}"
    r"(?:\d{1,3}(?:[ \u00a0\u202f'’]\d{3}){1,5})?[\d.,]{0,40}[)%-]{0,4}"
    rf"(?: ?{_UNIT}\)?)?(?: ?\[\w{{1,3}}\])?\Z"
)
"""A number with its groups by blanks or apostrophes, too, its currency or unit, and a note's mark; a dash."""
_MISSING = frozenset(("n/a", "n.a.", "na", "nm", "n.m.", "k.a.", "k. a.", "s.o.", "..", "…"))
"""What stands in the place of a figure, in small letters."""
_YEAR = re.compile(r"(?:19|20)\d\d(?: ?\[\w{1,3}\])?\Z")
_AMOUNT = re.compile(r"(?:US|C|A|HK)?[$€£¥(]{0,2}\d")
"""Beginnings of cells with amounts in words, such as `4% to 5%`."""
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


Column = tuple[float, float]
"""Left and right edge; a table's columns do not overlap."""


def read_tables(rows: Sequence[Line], rules: Sequence[float] = ()) -> list[Line]:
    """Return a block's lines with its tables; `rules` are the heights at which a horizontal line is drawn."""
    for row in rows:
        row.cells = split_cells(row)
    lines: list[Line] = []
    at = last = 0
    while at < len(rows):
        end = _find_table_end(rows, at)
        if end is None:
            lines.append(rows[at])
            rows[at].is_apart = len(rows[at].cells) > 1
            at += 1
            continue
        start = _find_head_start(rows, at, last)
        del lines[len(lines) - (at - start) :]
        lines += _read_table(rows[start:end], rules)
        at = last = end
    return lines


def split_cells(row: Line) -> list[Word]:
    """Return the cells of a row: a currency's sign and a bracket go with their figure."""
    height, narrow, wide = row.height, NARROW * row.height, WIDE * row.height
    if row.gap < narrow:
        return [(row.left, row.right, row.text)]
    found: list[Word] = []
    begin, end, cell = row.words[0]
    last = cell
    tail = _TAIL_OR_SIGN if _SIGN.match(row.words[-1][2]) else _TAIL
    for left, right, text in row.words[1:]:
        gap = left - end
        is_tail = gap < 1.5 * height and last[-1] in _BEFORE_TAIL and tail.match(text)
        if is_tail or (last[-1] in _OPENING and _CURRENCY.match(last)):
            joint = " " if is_tail and _SIGN.match(text) else ""
            cell, last, end = f"{cell}{joint}{text}", last + text, right
        elif gap >= wide or (
            (gap >= narrow or text[-1] in _OPENING) and _divides(last, text, gap, row)
        ):
            found.append((begin, end, cell))
            begin, end, cell, last = left, right, text, text
        else:
            cell, last, end = f"{cell} {text}", text, max(right, end)
    found.append((begin, end, cell))
    if len(found) > 1:
        found = [cell for cell in found if not _LEADERS.match(cell[2])] or found[:1]
    if len(found) == 2 and _BULLET.match(found[0][2]):
        found = [(found[0][0], found[1][1], f"{found[0][2]} {found[1][2]}")]
    return found


def _find_narrow(row: Line) -> float:
    """Return the gap from which two figures are two cells: wider than between the words of a justified line."""
    narrow = NARROW * row.height
    if len(row.words) <= _MIN_PROSE:
        return narrow
    figures = [is_figure(word[2]) for word in row.words]
    pairs = zip(pairwise(row.words), pairwise(figures), strict=True)
    gaps = [after[0] - word[1] for (word, after), both in pairs if not all(both)]
    return max(narrow, 1.5 * sorted(gaps)[len(gaps) // 2]) if len(gaps) >= _MIN_PROSE else narrow


def _divides(last: str, text: str, gap: float, row: Line) -> bool:
    """Return whether two words with a small gap are two cells: two figures, or a currency's sign."""
    if gap <= _TOUCHING * row.height or not is_figure(last):
        return False
    if text[-1] in _OPENING and _CURRENCY.match(text):  # belongs to the figure after it
        return True
    if gap < NARROW * row.height or not is_figure(text):
        return False
    return not _GROUPED.match(f"{last} {text}") and gap >= _find_narrow(row)


@lru_cache(maxsize=16_384)
def is_figure(text: str) -> bool:
    """Return whether a cell holds a figure or what stands in its place, and no year."""
    if len(text) > _MAX_FIGURE:
        return False
    is_number = bool(_FIGURE.match(text)) and not _YEAR.match(text)
    return is_number or text.casefold() in _MISSING


def _find_table_end(read: Sequence[Line], at: int) -> int | None:
    """Return the index where the table starting at row `at` ends, or None if no table starts there."""
    if len(read[at].cells) < 2:
        return None
    first = last = at
    left = read[at].left
    at += 1
    while at < len(read) and at - last <= _MAX_BETWEEN + 1:
        above, here = read[at - 1], read[at]
        if here.turn != above.turn or here.y - above.y > 3.2 * max(here.height, above.height):
            break
        if len(read[at].cells) > 1:
            last = at
            left = min(left, here.left)
        elif _is_prose(read[last].cells, here, here.y - above.y, left):
            break
        at += 1
    return _find_wrapped_end(read, last) if last > first else None


def _find_wrapped_end(read: Sequence[Line], last: int) -> int:
    """Return the end of a table whose last row may have a wrapped cell."""
    starts = [left for left, _, _ in read[last].cells[1:]]
    end = last + 1
    while end < len(read) and end - last <= _MAX_BETWEEN and len(read[end].cells) == 1:
        row, above = read[end], read[end - 1]
        is_below = any(abs(row.left - start) < 2 for start in starts)
        if not is_below or row.y - above.y > 1.6 * row.height or is_figure(row.text):
            break
        end += 1
    return end


def _is_prose(cells: Sequence[Word], row: Line, gap: float, left: float) -> bool:
    """Return whether a row of one cell ends a table: a paragraph over its columns, or a title."""
    if row.left >= cells[1][0] - row.height:
        return False
    if row.left >= left + 4 * row.height:
        return True
    crosses = row.right > cells[1][0] + row.height
    is_name = len(row.text) <= 60 or row.text.endswith(":")
    return crosses and (gap > 1.7 * row.height or not is_name)


def _find_head_start(read: Sequence[Line], at: int, first: int) -> int:
    """Return where a table's header begins: rows of one cell above it, within its columns."""
    start = at
    column = read[at].cells[1][0]
    while start > max(at - 3, first):
        above, below = read[start - 1], read[start]
        if len(read[start - 1].cells) != 1 or above.turn != below.turn:
            break
        is_near = below.y - above.y < 1.8 * max(above.height, below.height)
        if not is_near or above.left < column - 4 * above.height or len(above.text) > 60:
            break
        start -= 1
    return start


def _read_table(read: Sequence[Line], rules: Sequence[float]) -> Sequence[Line]:
    columns = _find_columns(read)
    if not 1 < len(columns) <= _MAX_COLUMNS:
        return read
    placed = [_place(each.cells, columns) for each in read]
    _merge_columns(columns, placed)
    if len(columns) < 2:
        return read
    heads = _count_heads(placed)
    rows, firsts = _join_wrapped(read[heads:], placed[heads:], rules)
    texts = [*map(write_row, rows)]
    if heads:
        spans = zip(*(_spread(each.cells, columns) for each in read[:heads]), strict=True)
        head = write_row(" ".join(filter(None, column)) for column in spans)
        texts.insert(0, f"{head}\n|{'---|' * len(columns)}")
        firsts.insert(0, read[0])
    left, right = min(row.left for row in read), max(row.right for row in read)
    return [row.become_row(text, left, right) for row, text in zip(firsts, texts, strict=True)]


def _find_columns(read: Sequence[Line]) -> list[Column]:
    """Return the columns of a table, found from its figures on, the narrowest first."""
    cells = [cell for each in read if len(each.cells) > 1 for cell in each.cells]
    columns: list[Column] = []
    cells.sort(key=lambda cell: (not is_figure(cell[2]), cell[1] - cell[0]))
    for left, right, _ in cells:
        hits = _find_hits(left, right, columns)
        if not hits and len(columns) <= _MAX_COLUMNS:
            columns.insert(hits.start, (left, right))
        elif len(hits) == 1:
            begin, end = columns[hits.start]
            columns[hits.start] = (min(begin, left), max(end, right))
    return columns


def _find_hits(left: float, right: float, columns: Sequence[Column]) -> range:
    """Return the indexes of the columns that a cell overlaps, or an empty range where a column would be inserted."""
    first = stop = bisect_left(columns, (right,))
    while first and left < columns[first - 1][1]:
        first -= 1
    return range(first, stop)


def _place(cells: Iterable[Word], columns: Sequence[Column]) -> list[str]:
    """Return a row's cells by column, each in the first column that it overlaps most."""
    row = [""] * len(columns)
    for left, right, text in cells:
        hits = _find_hits(left, right, columns)
        at = hits.start
        if len(hits) != 1:
            near = hits or range(max(at - 1, 0), min(at + 1, len(columns)))
            overlaps = [min(right, columns[n][1]) - max(left, columns[n][0]) for n in near]
            best = max(overlaps)
            width = 0.5 * min(right - left, best) if best > 0 else best
            at = next(n for n, overlap in zip(near, overlaps, strict=True) if overlap >= width)
        row[at] = f"{row[at]} {text}" if row[at] else text
    return row


def _spread(cells: Sequence[Word], columns: Sequence[Column]) -> list[str]:
    """Return a header row; if several cells span columns, each is repeated over its columns."""
    hits = [_find_hits(left, right, columns) for left, right, _ in cells]
    if sum(len(hit) > 1 for hit in hits) < 2 or not all(hits):
        row = _place(cells, columns)
        filled = [n for n, cell in enumerate(row) if n and cell]
        if len(filled) == 1 and len(hits[-1]) > 1:  # it spans all columns
            row[1], row[filled[0]] = row[filled[0]], row[1]
        return row
    return _place(
        [(*columns[at], text) for (_, _, text), hit in zip(cells, hits, strict=True) for at in hit],
        columns,
    )


def _merge_columns(columns: list[Column], placed: list[list[str]]) -> None:
    """Merge neighbouring columns that only indents or a head made two."""
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


def _complete(head: Sequence[tuple[str, str]], body: Sequence[tuple[str, str]]) -> bool:
    """Return whether one of two columns has only the header, and the other only the cells below it."""
    first, second = ((any(a for a, _ in rows), any(b for _, b in rows)) for rows in (head, body))
    return any(first) and any(second) and first != second and not (all(first) or all(second))


def _has_figure(pair: tuple[str, str]) -> bool:
    return any(map(is_figure, filter(None, pair)))


def _count_heads(placed: Sequence[Sequence[str]]) -> int:
    """Return the number of header rows: those before the first row with a figure."""
    body = next((n for n, row in enumerate(placed) if any(map(is_figure, row[1:]))), None)
    if body is None:  # words alone: the first row is the head if it names each of several columns
        return int(len(placed) > 2 and len(placed[0]) > 2 and all(placed[0]))
    while body and not any(placed[body - 1][1:]):
        body -= 1  # a group's name, as in "Current assets:"
    return body


def _join_wrapped(
    read: Sequence[Line], placed: Sequence[list[str]], rules: Sequence[float]
) -> tuple[list[list[str]], list[Line]]:
    """Join rows with wrapped cells; return the rows, and the first line of each."""
    starts = _find_starts(read, placed, rules)
    rows: list[list[str]] = []
    firsts: list[Line] = []
    wrapped = 0
    for n, (each, cells) in enumerate(zip(read, placed, strict=True)):
        goes_on = n not in starts if starts else _goes_on(read, placed, n)
        wrapped = wrapped + 1 if goes_on else 0
        if rows and goes_on and wrapped < _MAX_WRAPPED:
            rows[-1] = [_join_cell(a, b) for a, b in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
            firsts.append(each)
    return rows, firsts


def _join_cell(above: str, below: str) -> str:
    if above.endswith(HYPHEN):
        return above + below
    return f"{above} {below}" if above and below else above or below


def _goes_on(read: Sequence[Line], placed: Sequence[Sequence[str]], n: int) -> bool:
    """Return whether a row continues the one above.

    Its label starts in lower case or within an open bracket, and one of both rows has no figures.
    """
    if n == 0 or read[n].y - read[n - 1].y > 1.6 * read[n].height:
        return False
    above, here = placed[n - 1], placed[n]
    if not here[0]:
        return not any(map(is_figure, here)) and not any(map(_YEAR.match, here))
    is_one_label = not any(above[1:]) or not any(here[1:])
    is_open = here[0][:1].islower() or above[0].count("(") > above[0].count(")")
    return is_one_label and is_open and bool(above[0]) and above[0][-1] not in ".:;"


def _find_starts(
    read: Sequence[Line], placed: Sequence[Sequence[str]], rules: Sequence[float]
) -> set[int]:
    """Return the rows that begin a table's row, where rules or larger gaps divide cells of wrapped text."""
    if len(read) < 3:
        return set()
    if sum(len(each.cells) > 1 for each in read) <= 0.6 * len(read):
        return set()
    pairs = [(above.y, below.y) for above, below in pairwise(read)]
    ruled = (bisect_left(rules, below) > bisect(rules, above) for above, below in pairs)
    usual = 1.3 * min(below - above for above, below in pairs)
    spaced = (below - above > usual for above, below in pairs)
    for divided in (ruled, spaced):
        starts = {0, *(n for n, is_divided in enumerate(divided, 1) if is_divided)}
        if 1 < len(starts) < len(read) and _hold_one_row(placed, starts):
            return starts
    return set()


def _hold_one_row(placed: Sequence[Sequence[str]], starts: set[int]) -> bool:
    """Return whether no part of a table between two starts has two figures in one column."""
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
