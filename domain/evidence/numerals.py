"""The value of a number, in digits or in English words."""

import re
from decimal import Decimal

from domain.evidence.units import WORDS

Value = Decimal | str

MAX_DIGITS = 40
"""A longer number is compared as it is written."""

_GAPS = str.maketrans("", "", " '’\u00a0\u2009\u202f")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})++|[1-9]\d?(?:,\d{2})+,\d{3}")
_POINT = re.compile(r"\d++\.\d++")
_SWAPPED = str.maketrans(",.", ".,")


def parse_digits(digits: str, *, is_scaled: bool = False) -> frozenset[Value]:
    """Return the possible values of digits: `1.030` is one or a thousand, but one before a scale."""
    plain = digits.translate(_GAPS)
    if len(plain) > MAX_DIGITS:
        return frozenset({plain})
    readings = {_parse_english(plain), _parse_english(plain.translate(_SWAPPED))}
    if _GROUPED.fullmatch(plain) or (is_scaled and _POINT.fullmatch(plain)):
        readings = {_parse_english(plain)}
    found = frozenset(value for value in readings if value is not None)
    return found or frozenset({plain})


def _parse_english(plain: str) -> Decimal | None:
    whole, point, decimals = plain.partition(".")
    if "," in whole and not _GROUPED.fullmatch(whole):
        return None
    if "," in decimals or "." in decimals:
        return None
    return Decimal(whole.replace(",", "") + point + decimals)


def parse_number_words(words: str) -> Decimal:
    """Return the value of English number words below a thousand, e.g. `two hundred and five`."""
    total = 0
    for word in re.findall(r"[a-z]+", words.casefold()):
        total = total * 100 if word == "hundred" else total + WORDS.get(word, 0)
    return Decimal(total)
