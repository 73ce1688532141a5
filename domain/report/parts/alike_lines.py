"""Lines that say the same of several things, as one line that names them all."""

import re
from collections.abc import Iterable, Iterator, Sequence

from contracts.report.document import Sentence

MAX_NAME_WORDS = 4
"""Maximum number of words in which two similar lines may differ."""
SHARED = 2
"""Minimum number of shared words for each word in which lines differ."""
MAX_GROUPS = 50
"""Number of earlier groups of lines a line is compared with, so that time grows with the text alone."""
_TOKEN = re.compile(r"\w+(?:['’.,-]\w+)*|\W")


def merge_alike(lines: Iterable[Sentence]) -> list[Sentence]:
    """Return lines with those merged that differ in one name: “Roads of Rwanda, Uganda: no length”."""
    groups: list[_Group] = []
    for line in lines:
        tokens = _TOKEN.findall(line.text)
        if not any(group.add(line, tokens) for group in groups[-MAX_GROUPS:]):
            groups.append(_Group(line, tokens))
    return [group.merge() for group in groups]


class _Group:
    """Lines that differ in one name, which follows the same number of tokens in all of them."""

    def __init__(self, line: Sentence, tokens: list[str]) -> None:
        self._line = line
        self._lines = [tokens]
        self._head = self._tail = self._shortest = len(tokens)
        """Number of tokens that all lines share at the start and at the end, and the length of the shortest."""
        self._cut = (len(tokens), 0)
        """The number of tokens before the name, and the number after it."""
        self._most = _count_words(tokens)
        """Number of words in the longest line."""

    def add(self, line: Sentence, tokens: list[str]) -> bool:
        """Add a line if it differs from the others in a name alone; return whether it was added."""
        first = self._lines[0]
        if not all(
            getattr(line, part) == getattr(self._line, part) for part in ("lead", "marks", "notes")
        ):
            return False
        head = min(self._head, _count_shared(first, tokens))
        tail = min(self._tail, _count_shared(reversed(first), reversed(tokens)))
        shortest = min(self._shortest, len(tokens))
        cut = _cut_name(first, head, min(tail, shortest - head))
        most = max(self._most, _count_words(tokens))
        is_same = head == len(first) == len(tokens)
        if not (is_same or self._is_name_alone(tokens, cut, most)):
            return False
        self._lines.append(tokens)
        self._head, self._tail, self._shortest = head, tail, shortest
        self._cut, self._most = cut, most
        return True

    def merge(self) -> Sentence:
        """Return one line for all."""
        first, (head, tail) = self._lines[0], self._cut
        names = dict.fromkeys(_read_name(tokens, self._cut) for tokens in self._lines)
        begin, end = "".join(first[:head]), "".join(first[len(first) - tail :])
        return self._line.model_copy(update={"text": f"{begin}{', '.join(names)}{end}"})

    def _is_name_alone(self, tokens: Sequence[str], cut: tuple[int, int], most: int) -> bool:
        """Return whether the differing part is a name in all lines, and short compared with the shared part.

        Longer names must begin like the first line's.
        """
        first, (head, tail) = self._lines[0], cut
        shared = _count_words(first[:head]) + _count_words(first[len(first) - tail :])
        words = most - shared
        names = [_read_name(each, cut) for each in (first, tokens)]
        return (
            all(name[:1].isupper() or name[:1].isdigit() for name in names)
            and words <= MAX_NAME_WORDS
            and shared >= SHARED * words
        )


def _read_name(tokens: Sequence[str], cut: tuple[int, int]) -> str:
    return "".join(tokens[cut[0] : len(tokens) - cut[1]]).strip()


def _count_shared(tokens: Iterable[str], others: Iterable[str]) -> int:
    """Return how many tokens both begin with."""
    pairs: Iterator[tuple[str, str]] = zip(tokens, others, strict=False)
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _cut_name(tokens: Sequence[str], head: int, tail: int) -> tuple[int, int]:
    """Return where the differing name begins and ends in lines that share `head` and `tail` tokens."""
    while _splits_name(tokens, head - 2, head):  # “South Sudan” and “South Africa”
        head -= 2
    while _splits_name(tokens, len(tokens) - tail - 1, len(tokens) - tail + 1):
        tail -= 2
    return head, tail


def _splits_name(tokens: Sequence[str], before: int, after: int) -> bool:
    """Return True if a cut between two tokens would split a capitalized name such as “South Sudan”."""
    return (
        0 <= before < after < len(tokens)
        and tokens[before + 1] == " "
        and tokens[before][:1].isupper()
        and tokens[after][:1].isupper()
    )


def _count_words(tokens: Sequence[str]) -> int:
    return sum(token[0].isalnum() for token in tokens)
