"""Truncation of JSON values: lists lose their last items, texts their ends, objects no names."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

MARK = "…"
"""The sign that something was cut off here."""


@dataclass(frozen=True)
class _Measured:
    """A value with the characters of its names, texts and numbers, and with its parts."""

    value: JsonValue
    chars: int
    parts: Sequence["_Measured"] = ()


def truncate(value: JsonValue, chars: int) -> JsonValue:
    """Return a value of about `chars` characters, in the same form; the value itself if it fits.

    The fields of an object share the room: the short ones stay whole, and only the longest are cut.
    """
    return _cut(_measure(value), max(chars, 0))


def count_chars(value: JsonValue) -> int:
    """Return the characters of a value's names, texts and numbers."""
    return _measure(value).chars


def _measure(value: JsonValue) -> _Measured:
    if isinstance(value, str):
        return _Measured(value, len(value))
    if not isinstance(value, list | dict):
        return _Measured(value, len(str(value)))
    names = sum(map(len, value)) if isinstance(value, dict) else 0
    parts = [*map(_measure, value.values() if isinstance(value, dict) else value)]
    return _Measured(value, names + sum(part.chars for part in parts), parts)


def _cut(measured: _Measured, room: int) -> JsonValue:
    value = measured.value
    if measured.chars <= room:
        return value
    if isinstance(value, str):
        return value[:room] + MARK
    if isinstance(value, list):
        return _cut_list(measured.parts, room)
    if isinstance(value, dict):
        shares = _share([part.chars for part in measured.parts], room - sum(map(len, value)))
        return dict(zip(value, map(_cut, measured.parts, shares), strict=True))
    return value


def _cut_list(items: Sequence[_Measured], room: int) -> JsonValue:
    kept: list[JsonValue] = []
    for item in items:
        if room <= 0:
            return [*kept, MARK]
        kept.append(_cut(item, room))
        room -= item.chars
    return kept


def _share(sizes: Sequence[int], room: int) -> list[int]:
    """Return how much of the room each part gets: none more than it needs, the others equal shares of the rest."""
    shares, left = [0] * len(sizes), max(room, 0)
    in_order = sorted(range(len(sizes)), key=sizes.__getitem__)
    for done, n in enumerate(in_order):
        shares[n] = min(sizes[n], left // (len(sizes) - done))
        left -= shares[n]
    return shares
