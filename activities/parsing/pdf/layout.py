"""Reading order: a page's lines as rows, columns of prose one after the other, and tables."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from statistics import median

from activities.parsing.pdf.lines import Line, Word, make_line
from activities.parsing.superscripts import write_mark

WIDE, NARROW = 0.8, 0.35
"""Gaps in a row, in heights of its letters: between a table's cells, and between columns of prose at least."""
_TOUCHING = 0.08
_MAX_PAIRS = 400
"""Signs and words of two rows that are compared."""
_MAX_GLUED_CHARS = 200
_MAX_MARK_CHARS, _MARK_GAP = 5, 0.3
"""A raised sign's length, and its distance from the word before it in heights, at most."""
_MIN_COLUMN_ROWS, _MIN_COLUMN_WIDTH = 3, 30
_MAX_DEPTH = 4
_BAND = 5
"""An empty band across both columns, in heights, that separates the text above from that below."""
_MAX_CANDIDATES = 12
"""Places on a page that are tried as a column's left edge."""


def list_rows(lines: Iterable[Line]) -> list[Line]:
    """Return the rows that lines side by side form, from top to bottom, those of the commonest direction first."""
    turns: dict[int, list[Line]] = {}
    for line in lines:
        turns.setdefault(line.turn, []).append(line)
    slanted = turns.pop(-1, [])
    found = sorted(turns.values(), key=len, reverse=True)
    return [row for each in found for row in _group(each)] + slanted


def _group(lines: list[Line]) -> Iterator[Line]:
    lines.sort(key=attrgetter("y"))
    groups: list[list[Line]] = []
    for line in lines:
        last = groups[-1][0] if groups else None
        if last and line.y - last.y <= 0.3 * min(line.height, last.height):
            groups[-1].append(line)
        else:
            groups.append([line])
    rows: list[list[Line]] = []
    for group in groups:
        if rows and _is_raised_beside(rows[-1], group):
            rows[-1] = [*rows[-1], *group]
        else:
            rows.append(group)
    return (_join(row) if len(row) > 1 else row[0] for row in rows)


def _is_raised_beside(above: Sequence[Line], group: Sequence[Line]) -> bool:
    """Return whether a row only contains super- or subscripts of the next row's words.

    A superscript may also be a separate cell of the row below, or precede a footnote.
    """
    height, raised = (max(map(attrgetter("height"), lines)) for lines in (group, above))
    larger = max(height, raised)
    if group[0].y - above[0].y > 0.6 * larger or min(height, raised) > 0.9 * larger:
        return False
    small, large = (above, group) if raised < height else (group, above)
    words = [word for line in large for word in line.words]
    if len(small) * len(words) > _MAX_PAIRS:
        return False
    near = 0.5 * larger
    left, right = min(word[0] for word in words) - 2.4 * near, max(word[1] for word in words)
    return all(
        any(abs(p.left - end) < near or abs(begin - p.right) < near for begin, end, _ in words)
        or (small is above and len(p.text) <= _MAX_MARK_CHARS and left < p.right < right)
        for p in small
    )


def _join(group: Sequence[Line]) -> Line:
    height = max(line.height for line in group)
    y = median(line.y for line in group if line.height > 0.9 * height)
    placed: list[tuple[Word, bool]] = []
    for line in group:
        is_mark = line.height < 0.9 * height and line.y < y - 0.1 * height
        is_mark = is_mark and len(line.words) == 1 and len(line.text) <= _MAX_MARK_CHARS
        placed += ((word, is_mark) for word in line.words)
    placed.sort(key=lambda pair: pair[0][0])
    joined: list[Word] = []
    for word, is_mark in placed:
        _add_word(joined, word, height, is_mark=is_mark)
    first = min(line.first for line in group)
    return make_line(y, height, joined, first, group[0].turn)


def _add_word(words: list[Word], word: Word, height: float, *, is_mark: bool) -> None:
    """Append a word to a row, without a space if it touches, and as a mark if it is a superscript."""
    left, right, text = word
    begin, end, before = words[-1] if words else (left, -math.inf, "")
    gap = left - end
    if is_mark and (not words or gap < _MARK_GAP * height):
        written = write_mark(before, text, "x").rstrip()
        if before and written[:1] != " ":  # a power, or an ordinal's ending
            words[-1] = (begin, right, before + written)
            return
        text = written.strip()
    elif (
        abs(gap) < _TOUCHING * height
        and not text[0].isalnum()
        and len(before) + len(text) < _MAX_GLUED_CHARS
    ):
        words[-1] = (begin, right, before + text)
        return
    words.append((left, right, text))


def order(rows: list[Line], depth: int = 0) -> Iterator[list[Line]]:
    """Yield the blocks of rows of a page in reading order: a column of prose is one block."""
    found = _find_columns(rows) if depth < _MAX_DEPTH else None
    if found is None:
        if rows:
            yield rows
        return
    first, last, gutter = found
    yield from order(rows[:first], depth + 1)
    for is_right in (False, True):
        side = (
            row.cut([word for word in row.words if (word[0] >= gutter) == is_right])
            for row in rows[first:last]
        )
        yield from order([row for row in side if row.words], depth + 1)
    yield from order(rows[last:], depth + 1)


def _find_columns(rows: Sequence[Line]) -> tuple[int, int, float] | None:
    """Return the longest run of rows that two columns of prose form, and where the right one begins."""
    best = None
    for edge in _list_edges(rows) if len(rows) >= _MIN_COLUMN_ROWS else ():
        for first, last in _list_runs(rows, edge - 1.6):
            if (best is None or last - first > best[1] - best[0]) and _are_columns(
                rows[first:last], edge - 1.6
            ):
                best = (first, last, edge - 1.6)
    return best


def _list_edges(rows: Sequence[Line]) -> Iterator[int]:
    """Yield where cells of several words begin below each other, the commonest place first."""
    leftmost = min(row.left for row in rows) + _MIN_COLUMN_WIDTH
    for row in rows:
        row.cells = row.split(NARROW)
    cells = [cell for row in rows for cell in row.cells]
    edges = Counter([round(left) for left, _, _ in cells])
    worded = {round(left) for left, _, text in cells if left > leftmost - 2 and text.count(" ") > 1}
    for edge, _ in edges.most_common(_MAX_CANDIDATES):
        near = (edge - 1, edge, edge + 1)
        is_common = sum(map(edges.__getitem__, near)) >= _MIN_COLUMN_ROWS
        if edge >= leftmost and is_common and not worded.isdisjoint(near):
            yield edge


def _list_runs(rows: Sequence[Line], gutter: float) -> Iterator[tuple[int, int]]:
    """Yield runs of rows without text across the gutter, trimmed to what both columns span."""
    run: list[int] = []
    for at, row in enumerate(rows):
        gap = 0.6 * NARROW * row.height
        crosses = row.left < gutter and row.right > gutter - gap
        if crosses and len(row.cells) > 1:
            crosses = any(left < gutter and right > gutter - gap for left, right, _ in row.cells)
        above = rows[run[-1] if run else at]
        if crosses or row.turn != above.turn or row.y - above.y > _BAND * row.height:
            yield from _trim(rows, run, gutter)
            run = []
        if not crosses:
            run.append(at)
    yield from _trim(rows, run, gutter)


def _trim(rows: Sequence[Line], run: list[int], gutter: float) -> Iterator[tuple[int, int]]:
    """Yield a run without separate rows at its ends that only one side has."""
    first, last = 0, len(run) - 1
    while first < last and _is_apart(rows[run[last]], rows[run[last - 1]], gutter):
        last -= 1
    while first < last and _is_apart(rows[run[first]], rows[run[first + 1]], gutter):
        first += 1
    if last - first + 1 >= _MIN_COLUMN_ROWS:
        yield run[first], run[last] + 1


def _is_apart(row: Line, beside: Line, gutter: float) -> bool:
    if row.left < gutter <= row.right:
        return False
    return abs(row.y - beside.y) > 1.9 * min(row.height, beside.height)


def _are_columns(rows: Sequence[Line], gutter: float) -> bool:
    """Return whether both sides of a gutter are prose, and no table of cells that wrap."""
    sides: tuple[list[Word], list[Word]] = ([], [])
    starts: tuple[list[float], list[float]] = ([], [])
    for row in rows:
        for chunk in row.cells:
            side = chunk[0] >= gutter
            sides[side].append(chunk)
            if not starts[side] or starts[side][-1] != row.y:
                starts[side].append(row.y)
    if min(map(len, starts)) < _MIN_COLUMN_ROWS or not all(map(_is_prose, sides[::-1])):
        return False
    return not _begin_together(*starts)


def _is_prose(chunks: list[Word]) -> bool:
    widths = [right - left for left, right, _ in chunks]
    texts = [chunk[2] for chunk in chunks]
    words = sum(text.count(" ") + 1 for text in texts)
    if words < 2.5 * len(texts) or sum(widths) < 0.6 * len(widths) * max(widths):
        return False
    whole = "".join(texts)
    letters = sum(map(str.isalpha, whole))
    return letters > 0.6 * (len(whole) - whole.count(" "))


def _begin_together(left: list[float], right: list[float]) -> bool:
    """Return whether the cells of a table begin side by side: each larger gap ends both columns at once."""
    starts = [set(_list_starts(side)) for side in (left, right)]
    common = starts[0] & starts[1]
    return len(common) >= 2 and len(common) >= 0.7 * max(map(len, starts))


def _list_starts(places: list[float]) -> Iterator[int]:
    """Yield the baselines above which the gap is larger than a column's usual one."""
    gaps = sorted(below - above for above, below in pairwise(places))
    usual = gaps[len(gaps) // 4]
    yield round(places[0])
    for above, below in pairwise(places):
        if below - above > 1.3 * usual:
            yield round(below)
