"""Numbers as filings and readers write them."""

from decimal import ROUND_HALF_UP, Context, Decimal

SCALES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
MILLION = SCALES[-1][0]
_ROUNDING = Context(prec=400, rounding=ROUND_HALF_UP)
"""As many digits as any float has."""


def format_number(value: float, digits: int = 0) -> str:
    """Return a number with commas and so many decimals, its last one rounded half up."""
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), context=_ROUNDING)
    return f"{rounded:z,f}"


def format_money(value: float, unit: str) -> str:
    """Return an amount as people write it, e.g. `408.6 billion USD`."""
    scale, word = find_scale(value)
    digits = 0 if not word else 2 if abs(value) < 10 * scale else 1
    return f"{format_number(value / scale, digits)} {word}{unit}"


def format_millions(value: float, whole_from: float) -> str:
    """Return a value in millions: whole ones from a number of millions on, else with a decimal."""
    millions = value / MILLION
    is_whole = abs(millions) >= whole_from or value % MILLION == 0
    return format_number(millions, 0 if is_whole else 1)


def find_scale(value: float) -> tuple[float, str]:
    """Return what to divide a value by, and the word for it with a space behind it."""
    return next(((scale, f"{word} ") for scale, word in SCALES if abs(value) >= scale), (1.0, ""))
