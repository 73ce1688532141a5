"""Numbers as filings and readers write them."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal

from contracts.notices import Notice

SCALES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
MILLION = SCALES[-1][0]
CENT = 0.01
PER_SHARE = "/shares"
"""End of the unit of an amount per share; its currency precedes it, as in `USD/shares`."""
_ROUNDING = Context(prec=400, rounding=ROUND_HALF_UP)
"""More digits than any float has."""


def format_number(value: float, digits: int = 0) -> str:
    """Return a number with grouped thousands and `digits` decimals, rounded half up."""
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), context=_ROUNDING)
    return f"{rounded:z,f}"


def round_up(value: float, digits: int = 1) -> float:
    """Return a number rounded half up; without a fraction it is an integer."""
    rounded = float(format_number(value, digits).replace(",", ""))
    return int(rounded) if rounded.is_integer() else rounded


def count_digits(per_share: float) -> int:
    """Return the decimals of a filed amount per share: two, or below one as many as are filed, at most four."""
    if abs(per_share) >= 1:
        return 2
    filed = Decimal(repr(round_up(per_share, 4))).as_tuple().exponent
    return max(2, -filed) if isinstance(filed, int) else 2


def count_price_digits(value: float) -> int:
    """Return the decimals that a computed price can carry: about three digits in all."""
    return 0 if value >= 100 else 1 if value >= 10 else 2


def round_per_share(value: float) -> float:
    """Return a filed amount per share with the decimals of `count_digits`."""
    return round_up(value, count_digits(value))


def say_amount(value: float, unit: str) -> Notice:
    """Return an amount as people write it in their language, e.g. `408.6 billion USD`."""
    scale, word = find_scale(value)
    digits = 0 if not word else 2 if abs(value) < 10 * scale else 1
    code = f"amount-{word}".rstrip(" -")
    named = Notice.of("unit-shares", "info") if unit == "shares" else unit
    return Notice.of(code, "info", value=round_up(value / scale, digits), unit=named)


def find_scale(value: float) -> tuple[float, str]:
    """Return the divisor of a value and its unit word, with a trailing space."""
    return next(((scale, f"{word} ") for scale, word in SCALES if abs(value) >= scale), (1.0, ""))


def round_quotient(value: float, divisor: float) -> float:
    """Return a quotient without the digits that the divisor, earnings per share in cents, cannot know."""
    error = abs(value) * CENT / 2 / abs(divisor)
    return round(value, -math.floor(math.log10(error))) if error >= 1 else value


def find_step(value: float) -> float:
    """Return the unit of a number's last digit that is not 0, e.g. 1e9 of 6 billion: what it was rounded to, at most."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return 10.0**exponent if isinstance(exponent, int) else 1.0


def is_per_share(unit: str) -> bool:
    """Return whether a unit is that of an amount per share."""
    return unit.endswith(PER_SHARE)


def find_unit_of_whole(unit: str) -> str:
    """Return the unit of the amount of which an amount per share is a part; other units are unchanged."""
    return unit.removesuffix(PER_SHARE)
