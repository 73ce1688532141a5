"""The language of a question, which its report is written in."""

import re
from collections.abc import Mapping

from contracts.words import LANGUAGES, Language

_ENGLISH = """
a and are at be by can do does for from has have how is it its much of on or our should
than that the their there this to we were what when where which who why with would you
your
"""

_GERMAN = """
aber alle als am auf aus bei bis das dem den der des die durch ein eine einem einen
einer eines es für gibt hat ich im ihre ist kann kein keine können man mehr mit nach
nicht oder ohne sein sich sie sind soll sollen sollte über um und uns unser unsere vom
von vor wann warum was welche welchem welchen welcher welches wer werden wie wieso
wieviel viel viele wir wird wo zu zum zur zwischen
"""

_FUNCTION_WORDS: Mapping[Language, frozenset[str]] = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
}
"""Words that show a question to be in a language."""

_WORD = re.compile(r"\w+")


def detect_language(question: str) -> Language:
    """Return the language with the most function words in a question; English on a tie."""
    words = [word.casefold() for word in _WORD.findall(question)]
    return max(LANGUAGES, key=lambda name: sum(word in _FUNCTION_WORDS[name] for word in words))
