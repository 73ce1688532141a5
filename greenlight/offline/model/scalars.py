"""Strings and numbers within the limits of a schema."""

import math
import random
import re
from collections.abc import Iterator
from typing import Any

import rstr

TRIES = 20
FORMATS = {
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "P1D",
    "email": "name@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.org",
}
"""What is written where a format is asked for and nothing given has it."""
SHAPES = {
    "date": r"(?<!\d)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)(?!\d)",
    "email": r"[\w.+-]+@[\w-]+\.[\w.-]*\w",
    "uri": r"https?://[^\s<>\"')\]]+\w",
}
"""How formats look in a text."""


def bounded(schema: dict[str, Any], value: float, *, whole: bool) -> float:
    """Return the number nearest to a value within the limits."""
    step = schema.get("multipleOf") or (1 if whole else 0)
    low, high = limits(schema, step)
    value = min(max(value, low), high)
    if not step:
        return value
    steps = math.floor(value / step)
    steps += steps * step < low
    return int(steps * step) if whole else steps * step


def limits(schema: dict[str, Any], step: float) -> tuple[float, float]:
    """Return the lowest and the highest number that a schema allows."""
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if above is not None:
        low = max(low, above + step if step else math.nextafter(above, math.inf))
    if below is not None:
        high = min(high, below - step if step else math.nextafter(below, -math.inf))
    return low, high


def spelled(schema: dict[str, Any], text: str) -> str:
    """Return a text as near to the given one as length, format and pattern allow."""
    if (shape := schema.get("format")) in FORMATS:
        found = re.search(SHAPES[shape], text) if shape in SHAPES else None
        return found[0] if found else FORMATS[shape]
    least, most = schema.get("minLength", 0), schema.get("maxLength", math.inf)
    pattern = schema.get("pattern")
    text = sized(text, least, most)
    if pattern is None or re.search(pattern, text):
        return text
    fine = (t for t in tries(pattern, text) if re.search(pattern, t) and least <= len(t) <= most)
    return next(fine, text)


def sized(text: str, least: int, most: float) -> str:
    """Return a text cut at a word, or filled up, to a length."""
    if len(text) > most:
        cut = text[: int(most)]
        text = cut.rsplit(" ", 1)[0] if " " in cut and len(cut.rsplit(" ", 1)[0]) >= least else cut
    return text.ljust(least, ".")


def tries(pattern: str, text: str) -> Iterator[str]:
    """Yield texts that may match a pattern: parts of the given one, then made-up ones."""
    yield "-".join(re.findall(r"[a-z0-9]+", text.lower()))
    yield from re.findall(r"\w+", text)
    if inside := re.search(pattern.removeprefix("^").removesuffix("$"), text):
        yield inside[0]
    for seed in range(TRIES):
        yield rstr.Rstr(random.Random(seed)).xeger(pattern)  # noqa: S311 (no secret)


def variants(schema: dict[str, Any], item: Any, count: int) -> list[Any]:
    """Return values that differ from an item and from one another."""
    numbers = range(1, count + 1)
    if isinstance(item, bool) or item is None:
        return [not item]
    if isinstance(item, str):
        return [spelled(schema, f"{n} {item}") for n in numbers]
    if isinstance(item, int | float):
        step = schema.get("multipleOf", 1)
        whole = isinstance(item, int)
        moved = [item + sign * n * step for n in numbers for sign in (1, -1)]
        return [bounded(schema, value, whole=whole) for value in moved]
    return []
