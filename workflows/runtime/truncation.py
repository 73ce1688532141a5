"""Truncation of JSON values: lists lose their last items, texts their ends, objects no names."""

from pydantic import JsonValue

MARK = "…"
"""The sign that something was cut off here."""


def truncate(value: JsonValue, chars: int) -> JsonValue:
    """Return a value of about `chars` characters, in the same form; the beginning is kept."""
    return _cut(value, max(chars, 0))[0]


def _cut(value: JsonValue, left: int) -> tuple[JsonValue, int]:
    """Return what fits of a value, and how many characters are left after it."""
    if isinstance(value, str):
        fits = len(value) <= left
        return (value if fits else value[:left] + MARK), max(left - len(value), 0)
    if isinstance(value, list):
        items: list[JsonValue] = []
        for item in value:
            if not left:
                return [*items, MARK], 0
            item, left = _cut(item, left)
            items.append(item)
        return items, left
    if isinstance(value, dict):
        made: dict[str, JsonValue] = {}
        for name, part in value.items():
            made[name], left = _cut(part, max(left - len(name), 0))
        return made, left
    return value, max(left - len(str(value)), 0)
