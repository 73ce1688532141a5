"""Raised signs: footnote marks and exponents, which must not run into the figure before them."""

import re

_GLUED = frozenset(
    {"st", "nd", "rd", "th", "er", "re", "e", "è", "o", "a", "º", "ª", "TM", "SM", "™", "®", "©"}
)
"""Ordinals and trademark signs, which belong to the word before them."""
_POWER_BASE = re.compile(r"(?:(?<![\d.,])10|(?<![A-Za-z])(?:[kcmdµμ]?m|ft|in|yd|mi|sq|[A-Za-z]))\Z")
"""What an exponent follows: the base ten, a unit of length, a single letter."""
_PRICE = re.compile(r"[$€£¥]\s?\d[\d.,]*\Z")
_MINUS = ("-", "−", "–", "‐")
_FRACTION = ("/", "⁄")


def write_mark(before: str, mark: str, after: str) -> str:
    """Return a raised sign with what sets it apart from the text before it.

    An exponent becomes `^6`, a numerator ` 5`, and any other mark a footnote's: ` [1]`.
    """
    bare = mark.strip("()[] ")
    if not bare or not (before or after):
        return mark
    if bare in _GLUED or not any(map(str.isalnum, bare)):
        return mark
    if after.startswith(_FRACTION):
        return f" {mark}"
    if bare.startswith(_MINUS) or (bare.isdigit() and _POWER_BASE.search(before)):
        return f"^{bare}"
    if bare.isdigit() and len(bare) == 2 and _PRICE.search(before):
        return f"^{bare}"
    return f"{' ' if before else ''}[{bare}]{' ' if after[:1].isalnum() else ''}"
