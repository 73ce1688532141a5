"""Unified diffs in O(n log n), anchored by the lines that are unique in both texts."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match as Block
from difflib import SequenceMatcher
from itertools import zip_longest

MAX_DEPTH = 8
"""How often the lines between two anchors are aligned again by anchors of their own."""
CONTEXT_LINES = 3
KEPT_SHARE = 0.5
"""The share of its words that a reworded line keeps."""

Match = tuple[int, int, int]
"""The offsets at which equal lines begin in either text, and their number."""


def diff_lines(a: Sequence[str], b: Sequence[str], name_a: str, name_b: str) -> Iterator[str]:
    """Yield the lines of a unified diff; nothing if the texts are equal."""
    is_first = True
    for group in _Alignment(a, b).get_grouped_opcodes(CONTEXT_LINES):
        if is_first:
            yield from (f"--- {name_a}", f"+++ {name_b}")
            is_first = False
        (_, first_a, _, first_b, _), (_, _, last_a, _, last_b) = group[0], group[-1]
        yield f"@@ -{_range(first_a, last_a)} +{_range(first_b, last_b)} @@"
        for tag, start_a, end_a, start_b, end_b in group:
            if tag == "equal":
                yield from (f" {line}" for line in a[start_a:end_a])
            else:
                yield from (f"-{line}" for line in a[start_a:end_a])
                yield from (f"+{line}" for line in b[start_b:end_b])


def pair_changed_lines(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each changed line as it was and is; one is empty if the line was added or removed."""
    for tag, start_a, end_a, start_b, end_b in _Alignment(a, b).get_opcodes():
        if tag == "equal":
            continue
        for before, after in zip_longest(a[start_a:end_a], b[start_b:end_b], fillvalue=""):
            if _is_reworded(before, after):
                yield before, after
            else:
                yield from ((x, y) for x, y in ((before, ""), ("", after)) if x or y)


def _is_reworded(before: str, after: str) -> bool:
    """Return whether two lines share at least half of their words."""
    words, others = set(before.casefold().split()), set(after.casefold().split())
    return len(words & others) >= KEPT_SHARE * max(len(words), len(others), 1)


class _Alignment(SequenceMatcher[str]):
    """Our matches, with adjacent ones joined; `difflib` makes opcodes and groups from them."""

    def __init__(self, a: Sequence[str], b: Sequence[str]) -> None:
        super().__init__()
        blocks: list[Match] = []
        for start_a, start_b, size in find_matches(a, b):
            if blocks and _find_end(blocks[-1]) == (start_a, start_b):
                start_a, start_b, before = blocks.pop()
                size += before
            blocks.append((start_a, start_b, size))
        self._blocks = [Block(*block) for block in (*blocks, (len(a), len(b), 0))]

    def get_matching_blocks(self) -> list[Block]:
        """Return the equal parts of both texts in order, and an empty one at their ends."""
        return self._blocks


def _find_end(match: Match) -> tuple[int, int]:
    start_a, start_b, size = match
    return start_a + size, start_b + size


def find_matches(a: Sequence[str], b: Sequence[str]) -> list[Match]:
    """Return equal parts of two texts in order (patience diff, to a fixed depth)."""
    found: list[Match] = []
    todo = [(0, len(a), 0, len(b), 0)]
    while todo:
        start_a, end_a, start_b, end_b, depth = todo.pop()
        first_a, first_b = start_a, start_b
        while start_a < end_a and start_b < end_b and a[start_a] == b[start_b]:
            start_a, start_b = start_a + 1, start_b + 1
        last_a = end_a
        while start_a < end_a and start_b < end_b and a[end_a - 1] == b[end_b - 1]:
            end_a, end_b = end_a - 1, end_b - 1
        found += [(first_a, first_b, start_a - first_a), (end_a, end_b, last_a - end_a)]
        if start_a == end_a or start_b == end_b or depth == MAX_DEPTH:
            continue
        for at_a, at_b in _find_anchors(a, b, (start_a, end_a), (start_b, end_b)):
            todo.append((start_a, at_a, start_b, at_b, depth + 1))
            found.append((at_a, at_b, 1))
            start_a, start_b = at_a + 1, at_b + 1
        if (start_a, start_b) != (first_a, first_b):
            todo.append((start_a, end_a, start_b, end_b, depth + 1))
    return sorted(match for match in found if match[2])


def _find_anchors(
    a: Sequence[str], b: Sequence[str], part_a: tuple[int, int], part_b: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the longest series, ascending in both texts, of lines that are unique in both parts."""
    counts_a, counts_b = Counter(a[slice(*part_a)]), Counter(b[slice(*part_b)])
    places_b = {b[at]: at for at in range(*part_b) if counts_b[b[at]] == 1}
    pairs = [
        (at, places_b[a[at]]) for at in range(*part_a) if counts_a[a[at]] == 1 and a[at] in places_b
    ]
    ends: list[
        int
    ] = []  # by length - 1: the smallest offset in b at which a chain of that length ends
    last: list[int] = []  # by length - 1: the pair that ends this chain
    before: list[int] = []  # by pair: its predecessor in the chain, or -1
    for n, (_, at_b) in enumerate(pairs):
        length = bisect_left(ends, at_b)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [at_b]
        last[length : length + 1] = [n]
    series: list[tuple[int, int]] = []
    n = last[-1] if last else -1
    while n >= 0:
        series.append(pairs[n])
        n = before[n]
    return series[::-1]


def _range(start: int, end: int) -> str:
    """Return a range of lines as a unified diff writes it."""
    length = end - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"
