"""Truncation of JSON values: lists lose their last items, texts their ends, objects no names."""

from collections.abc import Sequence

from pydantic import JsonValue

MARK = "…"
"""The sign that something was cut off here."""

Sizes = dict[int, int]
"""Characters of values, by the values' ids."""


def truncate(value: JsonValue, chars: int) -> JsonValue:
    """Return a value of about `chars` characters, in the same form; the value itself if it fits.

    The fields of an object share the room: the short ones stay whole, and only the longest are cut.
    """
    sizes: Sizes = {}
    _measure(value, sizes)
    return _cut(value, max(chars, 0), sizes)


def count_chars(value: JsonValue) -> int:
    """Return the characters of a value's names, texts and numbers."""
    return _measure(value, {})


def _measure(value: JsonValue, sizes: Sizes) -> int:
    """Return the characters of a value, and add it and its parts to `sizes`."""
    if isinstance(value, str):
        size = len(value)
    elif isinstance(value, list):
        size = sum(_measure(item, sizes) for item in value)
    elif isinstance(value, dict):
        size = sum(len(name) + _measure(part, sizes) for name, part in value.items())
    else:
        size = len(str(value))
    sizes[id(value)] = size
    return size


def _cut(value: JsonValue, room: int, sizes: Sizes) -> JsonValue:
    if sizes[id(value)] <= room or not isinstance(value, str | list | dict):
        return value
    if isinstance(value, str):
        return value[:room] + MARK
    if isinstance(value, list):
        return _cut_list(value, room, sizes)
    parts = [*value.values()]
    shares = _share([sizes[id(part)] for part in parts], room - sum(map(len, value)))
    cut = (_cut(part, share, sizes) for part, share in zip(parts, shares, strict=True))
    return dict(zip(value, cut, strict=True))


def _cut_list(items: Sequence[JsonValue], room: int, sizes: Sizes) -> JsonValue:
    kept: list[JsonValue] = []
    for item in items:
        if room <= 0:
            return [*kept, MARK]
        kept.append(_cut(item, room, sizes))
        room -= sizes[id(item)]
    return kept


def _share(sizes: Sequence[int], room: int) -> list[int]:
    """Return how much of the room each part gets: none more than it needs, the others equal shares of the rest."""
    shares, left = [0] * len(sizes), max(room, 0)
    in_order = sorted(range(len(sizes)), key=sizes.__getitem__)
    for done, n in enumerate(in_order):
        shares[n] = min(sizes[n], left // (len(sizes) - done))
        left -= shares[n]
    return shares
