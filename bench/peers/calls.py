"""Statistics of a run's model calls: their order in time, and the text they repeat."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

LEAST_SENTENCE = 40
"""Shorter sentences may recur by chance."""


class Call(NamedTuple):
    """A request to a model: its text, the length of its answer, and its span."""

    text: str
    output_chars: int
    began: float
    ended: float


def measure_calls(calls: Sequence[Call]) -> dict[str, Any]:
    """Return how many calls there were, in which order, and how much of them was sent before."""
    size = sum(len(call.text) for call in calls)
    return {
        "calls": len(calls),
        "depth": count_in_sequence(calls),
        "most_at_once": count_at_once(calls),
        "input_kchars": round(size / 1000),
        "output_kchars": round(sum(call.output_chars for call in calls) / 1000),
        "sent_before": round(sum(count_repeated(calls)) / max(size, 1), 3),
        "prefix": round(sum(count_prefixes(calls)) / max(size, 1), 3),
    }


def count_in_sequence(calls: Iterable[Call]) -> int:
    """Return the most calls that follow one another without overlapping."""
    count, until = 0, 0.0
    for call in sorted(calls, key=lambda call: call.ended):
        if call.began >= until:
            count, until = count + 1, call.ended
    return count


def count_at_once(calls: Sequence[Call]) -> int:
    """Return the most calls that were in flight at one time."""
    return max(
        (sum(c.began <= call.began < c.ended for c in calls) for call in calls),
        default=0,
    )


def count_repeated(calls: Iterable[Call]) -> Iterator[int]:
    """Yield for each request how many of its characters are in sentences of earlier requests."""
    known: set[str] = set()
    for call in calls:
        parts = [p for p in re.split(r"(?<=[.!?;])\s+|\\n", call.text) if len(p) >= LEAST_SENTENCE]
        yield sum(len(part) for part in parts if part in known)
        known.update(parts)


def count_prefixes(calls: Sequence[Call]) -> Iterator[int]:
    """Yield the longest prefix that each request has in common with an earlier one."""
    for n, call in enumerate(calls):
        yield max((_measure_prefix(call.text, c.text) for c in calls[:n]), default=0)


def _measure_prefix(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
