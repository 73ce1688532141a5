"""Dollars as people read them, in each language."""

from contracts.words import Language, say, write_digits


def format_usd(amount: float, language: Language = "en") -> str:
    """Format dollars: two digits after the point, four below a cent."""
    digits = 2 if amount == 0 or amount >= 0.01 else 4
    return say(language, "usd", amount=write_digits(language, f"{amount:.{digits}f}"))
