"""Factors between units that an expression may use without a quote: of time, of counts, and of bits and bytes."""

import math
import re
from decimal import Decimal
from itertools import product

from domain.evidence.figures.notation.quantities import MAX_COUNT
from domain.evidence.figures.notation.units import THOUSANDS

_TIME = (24, 52, 60, 168, 360, 365, 365.25, 1_440, 3_600, 8_760, 86_400, 525_600, 604_800)
_CONSTANTS = frozenset({100, 1e4, *_TIME, *THOUSANDS})
_STEPS = range(6)
_BINARY = [1_024.0**n for n in _STEPS]
_SIZES = frozenset(bits * size for bits in (1, 8) for size in (*_BINARY, *(1e3**n for n in _STEPS)))
"""Bytes or bits in a unit of data, or such a unit in a larger one."""
_RATIOS = tuple(
    binary / 1e3**n if is_more else 1e3**n / binary
    for (n, binary), is_more in product(list(enumerate(_BINARY))[1:], (True, False))
)
"""Decimal units in a binary one, as the 1.0995 TB of a TiB, and the other way round."""
_TELLING_DIGITS = 4
"""Digits that a rounded ratio keeps: 1.1 may be a growth of any kind."""
_DATA = re.compile(
    r"(?<![^\W\d_])(?:(?:[kKMGTPE]i?)?(?:B|[Bb]its?|[Bb]ytes?)|[kKMGTPE]i?b(?:ps)?"
    r"|(?:[Kk]ilo|[Mm]ega|[Gg]iga|[Tt]era|[Pp]eta)(?:bits?|bytes?))(?![^\W\d_])"
)


def tells_of_data(text: str) -> bool:
    """Return whether a text names a unit of bits or bytes."""
    return bool(_DATA.search(text))


def is_constant(number: float, *, is_data: bool) -> bool:
    """Return whether a number of an expression needs no quote: a small count, a hundred, a day's seconds.

    With `is_data`, for a sentence with bits or bytes, so do the factors between their units, rounded ones with four digits.
    """
    if number in _CONSTANTS or (number == int(number) and number <= MAX_COUNT):
        return True
    return is_data and (number in _SIZES or _is_ratio(number))


def _is_ratio(number: float) -> bool:
    """Return whether a number is a ratio of units of data, rounded to its digits."""
    written = Decimal(repr(number))
    step = float(Decimal(10) ** int(written.as_tuple().exponent))
    is_telling = len(written.as_tuple().digits) >= _TELLING_DIGITS
    return is_telling and any(
        math.isclose(number, ratio, rel_tol=0, abs_tol=0.5 * step) for ratio in _RATIOS
    )
