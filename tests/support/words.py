"""Expected texts by code, so that tests of messages pin the code instead of the wording."""

import re

from contracts.words import CATALOGUES, Param, say

_GAPS = re.compile(r"\{\w+(?::[,a$])?\}|\{\w+, plural, one \{|\} other \{|\}\}|[\[\]#]")
"""Separators between the phrases of a text: placeholders, plurals, and optional parts."""


def en(code: str, /, **params: Param) -> str:
    """Return the words of a code in English."""
    return say("en", code, **params)


def de(code: str, /, **params: Param) -> str:
    """Return the words of a code in German."""
    return say("de", code, **params)


def phrase(code: str) -> str:
    """Return the longest part of a code's English words that no value interrupts."""
    return max(_GAPS.split(CATALOGUES["en"][code]), key=len).strip()


def opening(code: str, last: str, /, **params: Param) -> str:
    """Return the English words of a code up to the last value that a test knows."""
    holes = dict.fromkeys(re.findall(r"\{(\w+)(?::[,a$])?\}", CATALOGUES["en"][code]), "")
    text = say("en", code, **holes | params)
    value = str(params[last])
    return text[: text.index(value) + len(value)]


def pattern(code: str) -> str:
    """Return `phrase` as a regular expression, for `pytest.raises(match=…)`."""
    return re.escape(phrase(code))
