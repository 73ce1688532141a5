"""The words that change what a number says: scales, units, currencies, months; units.json lists them."""

import json
from decimal import Decimal
from importlib.resources import files
from typing import Any

_LISTS: Any = json.loads(files(__package__).joinpath("units.json").read_text("utf-8"))


def _by_word(lists: dict[str, str]) -> dict[str, str]:
    """Return what each word means, of words listed by their meaning."""
    return {word: meaning for meaning, words in lists.items() for word in words.split()}


SCALES = {word: Decimal(10) ** int(power) for word, power in _by_word(_LISTS["scales"]).items()}
"""A word after a number that multiplies it."""

POINT_SCALES = frozenset(_LISTS["point_scales"].split())
"""Those of languages that write 51.5: before any other, `51,566` may be grouped or have a decimal comma."""

THOUSANDS = frozenset({1e3, 1e6, 1e9, 1e12})
"""Factors between the scales of amounts."""

ATTACHED = {word: Decimal(10) ** power for word, power in _LISTS["attached"].items()}
"""Letters that multiply a number only when glued to it."""

ORDINALS = frozenset(_LISTS["ordinals"].split())

UNITS = _by_word(_LISTS["units"])
"""Words that name the unit of the number before them."""

BASE_UNITS = {
    unit: (base, factor)
    for base, units in _LISTS["bases"].items()
    for unit, factor in units.items()
}
"""A unit's base and its factor: units of one base can be converted."""

POWERS = _by_word(_LISTS["powers"])
CURRENCIES = _by_word(_LISTS["currencies"])
"""Signs and codes before an amount of money."""
MONEY = frozenset(CURRENCIES.values())

MONTHS = {word: int(number) for word, number in _by_word(_LISTS["months"]).items()}
WORDS: dict[str, int] = _LISTS["numbers"]
"""Numbers in English words."""

TENS = {word: number for word, number in WORDS.items() if number >= 20}
