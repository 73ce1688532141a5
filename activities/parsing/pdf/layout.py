"""Reading order: a page's words as rows, columns of prose one after the other, and tables."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from activities.parsing.marks import write_mark
from activities.parsing.pdf.glyphs import Piece, Word

WIDE, NARROW = 0.8, 0.35
"""Gaps in a row, in heights of its letters: between a table's cells, and between columns of prose at least."""
_TOUCHING = 0.08
_MAX_PAIRS = 400
"""Signs and words of two rows that are compared."""
_MAX_GLUED_CHARS = 200
_MAX_MARK_CHARS, _MARK_GAP = 5, 0.3
"""A raised sign's length, and its distance from the word before it in heights, at most."""
_MIN_COLUMN_ROWS = 3
_MAX_DEPTH = 4
_BAND = 5
"""An empty band over both columns, in heights, that divides what stands above it from what stands below."""
_MAX_CANDIDATES = 12
"""Places on a page that are tried as a column's left edge."""


@dataclass(slots=True)
class TextRow:
    """The words on one baseline, from left to right."""

    y: float
    height: float
    words: list[Word]
    first: int
    turn: int = 0
    left: float = 0
    right: float = 0
    gap: float = 0
    """The widest gap between two of its words."""
    chunks: list[Word] = field(default_factory=list)
    """Its words, joined where the gap is narrow."""
    _text: str = ""

    def __post_init__(self) -> None:
        self.left, right, _ = self.words[0]
        widest, end = -math.inf, right
        for left, last, _ in self.words[1:]:
            if left - end > widest:
                widest = left - end
            if last > right:
                right = last
            end = last
        self.right, self.gap = right, 0.0 if widest == -math.inf else widest

    @property
    def text(self) -> str:
        """Return its words, joined."""
        if not self._text:
            self._text = " ".join([word[2] for word in self.words])
        return self._text

    def split(self, gap: float) -> list[Word]:
        """Return its words joined to cells, between which the gap is at least so many heights."""
        if self.gap < gap * self.height:
            return [(self.left, self.right, self.text)]
        return _join_words(self.words, gap * self.height)

    def cut(self, words: list[Word]) -> "TextRow":
        """Return a row of some of its words."""
        return TextRow(self.y, self.height, words, self.first, self.turn)


def _join_words(words: list[Word], gap: float) -> list[Word]:
    cells: list[Word] = []
    begin = 0
    end = words[0][1]
    for at in range(1, len(words)):
        if words[at][0] - end >= gap:
            cells.append((words[begin][0], end, " ".join(w[2] for w in words[begin:at])))
            begin, end = at, words[at][1]
        else:
            end = max(end, words[at][1])
    cells.append((words[begin][0], end, " ".join(w[2] for w in words[begin:])))
    return cells


def list_rows(pieces: Iterable[Piece]) -> list[TextRow]:
    """Return the rows that pieces form, from top to bottom, those of the commonest direction first."""
    turns: dict[int, list[Piece]] = {}
    for piece in pieces:
        turns.setdefault(piece.turn, []).append(piece)
    rows: list[TextRow] = []
    slanted = turns.pop(-1, [])
    for _, found in sorted(turns.items(), key=lambda pair: -len(pair[1])):
        rows += _group(found)
    return rows + [TextRow(p.y, p.height, p.words, p.first, p.turn) for p in slanted]


def _group(pieces: list[Piece]) -> list[TextRow]:
    pieces.sort(key=lambda piece: piece.y)
    groups: list[list[Piece]] = []
    for piece in pieces:
        last = groups[-1][0] if groups else None
        if last and piece.y - last.y <= 0.3 * min(piece.height, last.height):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    rows: list[list[Piece]] = []
    for group in groups:
        if rows and _is_raised_beside(rows[-1], group):
            rows[-1] = [*rows[-1], *group]
        else:
            rows.append(group)
    return [_to_row(group) for group in rows]


def _is_raised_beside(above: list[Piece], group: list[Piece]) -> bool:
    """Tell whether a row holds small signs alone that are raised or lowered beside the words of the next one.

    A raised mark may also stand by itself among the cells of the row below it, or before a footnote.
    """
    height, raised = max(p.height for p in group), max(p.height for p in above)
    small, large = (above, group) if raised < height else (group, above)
    words = [word for piece in large for word in piece.words]
    if min(height, raised) > 0.9 * max(height, raised) or len(small) * len(words) > _MAX_PAIRS:
        return False
    if abs(group[0].y - above[0].y) > 0.6 * max(height, raised):
        return False
    near = 0.5 * max(height, raised)
    left, right = min(word[0] for word in words) - 2.4 * near, max(word[1] for word in words)
    return all(
        any(abs(p.left - end) < near or abs(begin - p.right) < near for begin, end, _ in words)
        or (small is above and len(p.text) <= _MAX_MARK_CHARS and left < p.right < right)
        for p in small
    )


def _to_row(group: list[Piece]) -> TextRow:
    if len(group) == 1:
        [piece] = group
        words = [_to_word(piece)] if _is_backward(piece) else piece.words
        return TextRow(piece.y, piece.height, words, piece.first, piece.turn)
    height = max(piece.height for piece in group)
    y = median(piece.y for piece in group if piece.height > 0.9 * height)
    placed: list[tuple[Word, bool]] = []
    for piece in group:
        is_mark = piece.height < 0.9 * height and piece.y < y - 0.1 * height
        is_mark = is_mark and len(piece.words) == 1 and len(piece.text) <= _MAX_MARK_CHARS
        parts = [_to_word(piece)] if _is_backward(piece) else piece.words
        placed += ((word, is_mark) for word in parts)
    placed.sort(key=lambda pair: pair[0][0])
    joined: list[Word] = []
    for word, is_mark in placed:
        _add_word(joined, word, height, is_mark=is_mark)
    first = min(piece.first for piece in group)
    return TextRow(y, height, joined, first, group[0].turn)


def _is_backward(piece: Piece) -> bool:
    """Tell whether a piece is written from right to left."""
    return len(piece.words) > 1 and piece.words[0][0] > piece.words[-1][0]


def _to_word(piece: Piece) -> Word:
    return piece.left, piece.right, piece.text


def _add_word(words: list[Word], word: Word, height: float, *, is_mark: bool) -> None:
    """Add a word to a row: without a space where it touches, and as a mark where it is raised."""
    left, right, text = word
    begin, end, before = words[-1] if words else (left, -math.inf, "")
    gap = left - end
    if is_mark and (not words or gap < _MARK_GAP * height):
        written = write_mark(before, text, "x").rstrip()
        if before and written[:1] != " ":  # a power, or the end of an ordinal
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


def order(rows: list[TextRow], depth: int = 0) -> Iterator[list[TextRow]]:
    """Yield the blocks of rows of a page in reading order: a column of prose is one block."""
    found = _find_columns(rows) if depth < _MAX_DEPTH else None
    if found is None:
        if rows:
            yield rows
        return
    first, last, gutter = found
    yield from order(rows[:first], depth + 1)
    left, right = _cut(rows[first:last], gutter)
    yield from order(left, depth + 1)
    yield from order(right, depth + 1)
    yield from order(rows[last:], depth + 1)


def _cut(rows: Iterable[TextRow], gutter: float) -> tuple[list[TextRow], list[TextRow]]:
    left, right = [], []
    for row in rows:
        before = [word for word in row.words if word[0] < gutter]
        after = [word for word in row.words if word[0] >= gutter]
        if before:
            left.append(row.cut(before))
        if after:
            right.append(row.cut(after))
    return left, right


def _find_columns(rows: list[TextRow]) -> tuple[int, int, float] | None:
    """Return the longest run of rows that two columns of prose form, and where the right one begins."""
    if len(rows) < _MIN_COLUMN_ROWS:
        return None
    edges: Counter[int] = Counter()
    worded: set[int] = set()
    for row in rows:
        row.chunks = row.split(NARROW)
        edges.update({round(chunk[0]) for chunk in row.chunks})
        worded.update([round(left) for left, _, text in row.chunks if text.count(" ") > 1])
    leftmost = min(row.left for row in rows)
    best = None
    for edge, _ in edges.most_common(_MAX_CANDIDATES):
        count = edges[edge - 1] + edges[edge] + edges[edge + 1]
        if count < _MIN_COLUMN_ROWS or edge < leftmost + 30:
            continue
        if worded.isdisjoint((edge - 1, edge, edge + 1)):  # a column of figures
            continue
        for first, last in _list_runs(rows, edge - 1.6):
            if (best is None or last - first > best[1] - best[0]) and _are_columns(
                rows[first:last], edge - 1.6
            ):
                best = (first, last, edge - 1.6)
    return best


def _list_runs(rows: list[TextRow], gutter: float) -> Iterator[tuple[int, int]]:
    """Yield the runs of rows of which no chunk crosses a gutter, trimmed to what both columns span."""
    run: list[int] = []
    for at, row in enumerate(rows):
        gap = 0.6 * NARROW * row.height
        crosses = row.left < gutter and row.right > gutter - gap
        if crosses and len(row.chunks) > 1:
            crosses = any(left < gutter and right > gutter - gap for left, right, _ in row.chunks)
        above = rows[run[-1] if run else at]
        if crosses or row.turn != above.turn or row.y - above.y > _BAND * row.height:
            yield from _trim(rows, run, gutter)
            run = []
        if not crosses:
            run.append(at)
    yield from _trim(rows, run, gutter)


def _trim(rows: list[TextRow], run: list[int], gutter: float) -> Iterator[tuple[int, int]]:
    """Yield a run without the rows at its ends that one side alone has, apart from the rest."""
    first, last = 0, len(run) - 1
    while first < last and _is_apart(rows[run[last]], rows[run[last - 1]], gutter):
        last -= 1
    while first < last and _is_apart(rows[run[first]], rows[run[first + 1]], gutter):
        first += 1
    if last - first + 1 >= _MIN_COLUMN_ROWS:
        yield run[first], run[last] + 1


def _is_apart(row: TextRow, beside: TextRow, gutter: float) -> bool:
    if row.left < gutter <= row.right:
        return False
    return abs(row.y - beside.y) > 1.9 * min(row.height, beside.height)


def _are_columns(rows: list[TextRow], gutter: float) -> bool:
    """Tell whether both sides of a gutter are prose, and no table of cells that wrap."""
    sides: tuple[list[Word], list[Word]] = ([], [])
    starts: tuple[list[float], list[float]] = ([], [])
    for row in rows:
        for chunk in row.chunks:
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
    """Tell whether the cells of a table begin side by side: each larger gap ends both columns at once."""
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
