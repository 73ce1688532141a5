"""The words that change what a number says: scales, units, currencies, months; units.json lists them."""

import json
from decimal import Decimal
from importlib.resources import files
from typing import Any


def _read(name: str) -> Any:
    return json.loads(files(__package__).joinpath(name).read_text("utf-8"))


_LISTS: Any = _read("units.json")


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
_NAMES: dict[str, list[str]] = {
    code: names.split(", ") for code, names in _read("currencies.json").items()
}
"""The names of the world's currencies by code, as in the Unicode CLDR."""
CURRENCY_NAMES = {name: code for code, names in _NAMES.items() for name in names if name}
CODES = frozenset(map(str.upper, _NAMES)) - {"ALL", "CUP", "TOP"}
"""The codes of ISO 4217, without those that are words in capitals."""
OTHER_CURRENCY = "¤"
METRES_OR_MILLIONS = "m?"
"""The unit of `412m`, which has the values of both."""


_OTHER_WORDS = frozenset({"real", "mark", "gold", "sol", "kina", "pula", "dram", "leone"})
"""Nouns of currencies that are words of another meaning as well."""


def _list_nouns() -> dict[str, set[str]]:
    """Return the currencies that the bare noun of a name may mean: kroner are Danish or Norwegian."""
    members: dict[str, set[str]] = {"krone": {"sek", "isk"}}  # all write `kr`
    for name, code in CURRENCY_NAMES.items():
        noun = name.split()[-1]
        members.setdefault(UNITS.get(noun, noun.removesuffix("s")), set()).add(code)
    return {noun: codes for noun, codes in members.items() if noun not in _NAMES}


_NOUNS = _list_nouns()
FAMILIES = {noun: codes for noun, codes in _NOUNS.items() if len(codes) > 1}
for _noun, _codes in _NOUNS.items():
    if _noun not in _OTHER_WORDS:
        UNITS |= dict.fromkeys((_noun, f"{_noun}s"), _noun if _noun in FAMILIES else min(_codes))
MONEY = frozenset({*CURRENCIES.values(), *_NAMES, *FAMILIES, OTHER_CURRENCY})
MONEY_LETTERS: dict[str, Decimal] = {
    letter: Decimal(10) ** power for letter, power in _LISTS["money_letters"].items()
}
"""Factors by the letter after an amount of money, such as the `m` of `$3m`."""
SCALED_UNITS: dict[str, tuple[Decimal, str]] = {
    word: (Decimal(10) ** n, unit) for word, (n, unit) in _LISTS["scaled_units"].items()
}
PARTS = {words: Decimal(str(part)) for words, part in _LISTS["parts"].items()}
"""Words before a scale that multiply it: half a million."""

MONTHS = {word: int(number) for word, number in _by_word(_LISTS["months"]).items()}
WORDS: dict[str, int] = _LISTS["numbers"]
"""Numbers in English words."""

TENS = {word: number for word, number in WORDS.items() if number >= 20}
