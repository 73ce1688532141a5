"""Pairs of questions: paraphrases, and contrasts that look alike and ask something else."""

import json
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

Pair = tuple[str, str]

DATA: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""`slots` are values of each placeholder; neighbours make a contrast, the more alike the harder.

`wordings` ask the same; contrasts are built from the first one, by `negated` and `reversed` too.
"""


def list_pairs() -> dict[str, list[Pair]]:
    """Return paraphrases, and pairs that ask something else by the kind of their difference."""
    fillings = [_fill_slots(turn) for turn in range(4)]
    places = [{"a": a, "b": b} for a, b in combinations(DATA["slots"]["place"][:4], 2)]
    return {
        "ask the same": [*_reword()],
        **{f"differ in {slot}": [*_exchange(slot)] for slot in ("number", "name", "place", "year")},
        "differ in negation": _fill_pairs(DATA["negated"], fillings),
        "differ in direction": _fill_pairs(DATA["reversed"], places),
    }


def _reword() -> Iterator[Pair]:
    """Yield the first wording with each of the rest."""
    for n, (first, *others) in enumerate(DATA["wordings"]):
        for filling in map(_fill_slots, range(n, n + 3)):
            yield from ((first.format(**filling), other.format(**filling)) for other in others)


def _exchange(slot: str) -> Iterator[Pair]:
    """Yield pairs with one value of a slot exchanged: as written, in lower case, reworded."""
    for n, wordings in enumerate(DATA["wordings"]):
        if f"{{{slot}}}" not in wordings[0]:
            continue
        for a, b in pairwise(DATA["slots"][slot]):
            mine, others = _fill_slots(n) | {slot: a}, _fill_slots(n) | {slot: b}
            one, other = wordings[0].format(**mine), wordings[0].format(**others)
            yield from ((one, other), (one.lower(), other.lower()))
            yield one, wordings[1].format(**others)


def _fill_pairs(pairs: list[Pair], fillings: list[dict[str, str]]) -> list[Pair]:
    return [(a.format(**f), b.format(**f)) for a, b in pairs for f in fillings]


def _fill_slots(turn: int) -> dict[str, str]:
    return {slot: values[turn % len(values)] for slot, values in DATA["slots"].items()}
