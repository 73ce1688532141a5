"""The words of a code, for tests of what people are shown: they pin the code, not how it is worded."""

from contracts.words import Param, say


def en(code: str, /, **params: Param) -> str:
    """Return the words of a code in English."""
    return say("en", code, **params)


def de(code: str, /, **params: Param) -> str:
    """Return the words of a code in German."""
    return say("de", code, **params)
