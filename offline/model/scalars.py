"""Strings and numbers within the limits of a schema."""

import math
import re
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as patterns  # type: ignore[attr-defined]
from typing import Any

FORMATS = {"date": "2000-01-01", "date-time": "2000-01-01T00:00:00Z", "time": "00:00:00Z"}
FORMATS |= {"duration": "P1D", "uuid": "00000000-0000-4000-8000-000000000000"}
FORMATS |= {"email": "name@example.org", "uri": "https://example.org/", "hostname": "example.org"}
FORMATS |= {"ipv4": "192.0.2.1", "ipv6": "2001:db8::1"}
"""An example of each format."""
RARE = "§"
CATEGORIES = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
LONGEST_REPEAT = 1_000


def clamp(schema: dict[str, Any], value: float, *, whole: bool) -> float:
    """Return the number nearest to a value within the limits."""
    step = schema.get("multipleOf") or (1 if whole else 0)
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if (above := schema.get("exclusiveMinimum")) is not None:
        low = max(low, above + step if step else math.nextafter(above, math.inf))
    if (below := schema.get("exclusiveMaximum")) is not None:
        high = min(high, below - step if step else math.nextafter(below, -math.inf))
    value = min(max(value, low), high)
    if not step:
        return value
    steps = math.floor(value / step)
    steps += steps * step < low
    return int(steps * step) if whole else steps * step


def fit_string(schema: dict[str, Any], text: str) -> str:
    """Return a text as near to the given one as length, format and pattern allow."""
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    least, most = schema.get("minLength", 0), schema.get("maxLength", math.inf)
    if len(text) > most:
        cut = text[: int(most)]
        at = cut.rfind(" ")
        text = cut[:at] if at >= max(least, 1) else cut
    text, pattern = text.ljust(least, "."), schema.get("pattern")
    return text if pattern is None else match_pattern(pattern, text, least)


def match_pattern(pattern: str, text: str, least: int) -> str:
    """Return the text if a pattern that is one repeated class allows it, else a text made from it.

    Any other pattern is never run: one that a stranger wrote may take ages.
    """
    try:
        parts = [part for part in patterns.parse(pattern) if part[0] is not ops.AT]
    except (re.error, RecursionError, OverflowError):
        return text
    is_class = len(parts) == 1 and parts[0][0] is ops.MAX_REPEAT and len(parts[0][1][2]) == 1
    if is_class and parts[0][1][2][0][0] in (ops.IN, ops.ANY) and re.search(pattern, text):
        return text
    tries = (make_text(parts, more) for more in (0, least, LONGEST_REPEAT))
    return next((found for found in tries if len(found) >= least), text)


def make_text(parts: Any, more: int) -> str:
    """Return a text that matches a parsed pattern, with `more` extra repetitions in open-ended repeats."""
    return "".join(_make_part(op, given, more) for op, given in parts)


def _make_part(op: Any, given: Any, more: int) -> str:
    if op is ops.LITERAL:
        return chr(given)
    if op is ops.IN:
        return _make_character(given)
    if op in (ops.ANY, ops.NOT_LITERAL):
        return RARE
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        low, high, inner = given
        times = max(low, more) if high == ops.MAXREPEAT else low
        return make_text(inner, 0) * int(min(times, LONGEST_REPEAT))
    if op is ops.SUBPATTERN:
        return make_text(given[3], more)
    return make_text(given[1][0], more) if op is ops.BRANCH else ""


def _make_character(allowed: list[tuple[Any, Any]]) -> str:
    """Return a character of a character class; a rare one if the class is negated."""
    op, given = allowed[0]
    if op is ops.CATEGORY:
        return CATEGORIES.get(str(given), "-")
    return RARE if op is ops.NEGATE else chr(given[0] if op is ops.RANGE else given)
