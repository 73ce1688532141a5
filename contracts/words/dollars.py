"""Dollars as people read them, in each language."""

import math

from contracts.words import Language, write_usd


def format_usd(amount: float, language: Language = "en") -> str:
    """Format dollars: two digits after the point, four below a cent."""
    return write_usd(language, amount)


def round_up_usd(amount: float) -> float:
    """Round dollars up to the last digit that is shown of them."""
    step = 100 if amount >= 0.01 else 10_000
    return math.ceil(round(amount * step, 6)) / step
