"""The words of a code, for tests of what people are shown: they pin the code, not how it is worded."""

import re

from contracts.words import CATALOGUES, Param, say

_GAPS = re.compile(r"\{\w+(?::[,a])?\}|\{\w+, plural, one \{|\} other \{|\}\}|[\[\]#]")
"""What stands between the words of a text: holes, plurals, and what may be left out."""


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
    holes = dict.fromkeys(re.findall(r"\{(\w+)(?::[,a])?\}", CATALOGUES["en"][code]), "")
    text = say("en", code, **holes | params)
    value = str(params[last])
    return text[: text.index(value) + len(value)]


def pattern(code: str) -> str:
    """Return `phrase` as a regular expression, for `pytest.raises(match=…)`."""
    return re.escape(phrase(code))
