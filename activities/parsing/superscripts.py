"""Superscripts in a line (powers, footnote marks, ordinals, cents, fractions), separated from figures."""

import re
from itertools import takewhile

BEFORE_CHARS, AFTER_CHARS = 24, 12
"""Characters inspected before and after a superscript."""

_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⁺⁻−–⁄", "01234567890123456789+---/")
_RAISED = re.compile(r"(?<=\d)(?:[⁰¹²³⁴-⁹]{1,9}[⁄/][₀-₉\d]{1,9}|[⁺⁻]?[⁰¹²³⁴-⁹]{1,9})")
"""Superscript digits after a figure, as Unicode characters."""
_ANY_RAISED = re.compile(r"[⁺⁻⁰¹²³⁴-⁹]")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|e|er|re|ère|ème|nde|de|ste|te|o|º|ª)", re.IGNORECASE)
_ABBREVIATED = re.compile(
    r"(?:\b[IVXLCDM]{1,7}e|\b[^\W\d_]{1,2}(?:o|os|a|as|e|r|rs|er|re|me|mes|lle|lles|te|ste))",
    re.IGNORECASE,
)
"""Abbreviations with superscript last letters, such as `Mme`, `no` and `XXe`."""
_BRACKETS = re.compile(r"[()\[\]\s]{1,9}")
_TRADEMARKS = frozenset({"TM", "SM"})
_NUMBER = re.compile(r"[-+]?\d{1,3}")
_MARK = re.compile(r"\d{1,3}(?:-\d{1,3})?|[^\W\d_]|[*†‡§¶#]{1,3}")
_BRACKETED = re.compile(r"[(\[{].*[)\]}]", re.DOTALL)
_POWER = re.compile(
    r"(?:(?<![\d.,])10"
    r"|(?<!\w)[^\W\d_]|=\s?[^\W\d_]{1,3}"
    r"|\([^()]{0,20}[-+−*/×·=^][^()]{0,20}\))\Z"
)
"""The base of a power: ten, a variable, or a term in brackets."""
_UNIT = re.compile(r"(?<![^\W\d_])(?:[kcdmµμnh]?m|mi|miles?|in|ft|yd|kg|g|s|sec|K|W|L|l|acres?)\Z")
_UNIT_POWERS = frozenset(("2", "3", "-1", "-2", "-3"))
_TERM = re.compile(r"(?<![\d.,])\d{1,2}\Z")
_OPERATOR = re.compile(r"\s?[+=×·*/^<>≈]")
_PRICE = re.compile(r"(?:[$€£¥₹]|\b[A-Z]{3})\s?\d{1,3}(?:[.,'’\s]\d{3}){0,4}\Z")
_SCALED = re.compile(
    r"\s?(?:thousand|million|billion|trillion|mio|mrd|mill|milli|bn|mn|m\b)", re.IGNORECASE
)


def separate_raised(text: str) -> str:
    """Return a text in which superscript digits, as in `$12.5¹` or `10⁶`, are separated from the figure before them."""

    def place(match: re.Match[str]) -> str:
        start, end = match.span()
        before = text[max(0, start - BEFORE_CHARS) : start]
        return place_raised(before, match.group(), text[end : end + AFTER_CHARS])

    return _RAISED.sub(place, text) if _ANY_RAISED.search(text) else text


def place_raised(before: str, raised: str, after: str) -> str:
    """Return how raised text is written between the text before and after it.

    A power is `^6`, a footnote's mark ` [1]`, cents are `^99`; ordinals stay as they are.
    """
    raised = " ".join(raised.split())
    plain = raised.translate(_DIGITS)
    last = before[-1:]
    if not raised or (not last.strip() and not _MARK.fullmatch(plain)):
        return raised
    if _is_ordinal(before, raised):
        return raised
    if _BRACKETED.fullmatch(raised):
        return f" {raised}" if last.isdigit() else raised
    if "/" in plain or after.lstrip()[:1] in {"/", "⁄"}:
        return f" {plain}" if last.isdigit() and plain[:1].isdigit() else raised
    if _is_power(before, plain, after):
        return f"^{plain}"
    marks = [mark for mark in re.split(r"[,;\s]+", plain) if mark]
    if marks and all(map(_MARK.fullmatch, marks)):
        return _write_marks(before, marks)
    return f" {raised}" if last.isalnum() and raised[:1].isdigit() else raised


def write_mark(before: str, mark: str, after: str) -> str:
    """Return a superscript, with or without brackets, separated from its word as `place_raised` does."""
    bare = _BRACKETS.sub(",", mark).strip(",")
    if not (before or after) or not any(map(str.isalnum, bare)) or bare in _TRADEMARKS:
        return mark
    written = place_raised(before, bare, after)
    return f"{written} " if written.endswith("]") and after[:1].isalnum() else written


def place_lowered(before: str, lowered: str, after: str) -> str:
    """Return how lowered text is written: `CO2` is one word, but `log_10 5` has two figures."""
    lowered = " ".join(lowered.split())
    if not lowered[:1].isdigit() and not before[-1:].isdigit():
        return lowered
    if before.rstrip()[-1:] in {"/", "⁄"}:
        return lowered
    is_figure = before[-1:].isdigit() or after[:1].isdigit()
    return f"_{lowered}{' ' if after[:1].isdigit() else ''}" if is_figure else lowered


def _is_ordinal(before: str, raised: str) -> bool:
    word = before + raised
    at = len(before)
    if raised.lower() in {"a", "o"} and before[-1:].isdigit():
        return False  # a footnote's letter, more often than a Spanish ordinal
    if _ORDINAL.fullmatch(word, at):
        return True
    letters = sum(1 for _ in takewhile(str.isalpha, reversed(word)))
    return letters > len(raised) and bool(_ABBREVIATED.fullmatch(word, len(word) - letters))


def _is_power(before: str, raised: str, after: str) -> bool:
    is_number = bool(_NUMBER.fullmatch(raised))
    if _UNIT.search(before) and raised in _UNIT_POWERS:
        return True
    if _POWER.search(before):
        return is_number or (len(raised) == 1 and raised.isalpha())
    if is_number and _TERM.search(before) and _OPERATOR.match(after):
        return True
    is_cents = len(raised) == 2 and raised.isdigit() and not _SCALED.match(after)
    return is_cents and bool(_PRICE.search(before))


def _write_marks(before: str, marks: list[str]) -> str:
    written = " ".join(f"[{mark}]" for mark in marks)
    return f" {written}" if before[-1:].strip() else written
