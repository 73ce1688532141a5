"""Dollars as people read them, in each language."""

import math

from contracts.words import Language, say, write_digits


def format_usd(amount: float, language: Language = "en", *, up: bool = False) -> str:
    """Format dollars: two digits after the point, four below a cent; rounded up on request."""
    digits = 2 if amount == 0 or amount >= 0.01 else 4
    if up:
        amount = math.ceil(round(amount * 10**digits, 6)) / 10**digits
    return say(language, "usd", amount=write_digits(language, f"{amount:.{digits}f}"))
