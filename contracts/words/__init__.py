"""The words of reports and notices: one catalogue per language, by code."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from contracts.words import de, en

Language = Literal["en", "de"]
CATALOGUES: Mapping[Language, Mapping[str, str]] = {"en": en.WORDS, "de": de.WORDS}
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_HOLE = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"\w+")


def say(language: Language, code: str, /, **params: str | int) -> str:
    """Return the words of a code in a language.

    Of a text in two parts, the first is for `n` = 1. What stands in brackets is left out where a
    parameter in it is missing.
    """
    one, _, several = CATALOGUES[language][code].partition(" | ")
    words = several if several and params.get("n") != 1 else one

    def keep_known(part: re.Match[str]) -> str:
        return part[1] if set(_HOLE.findall(part[1])) <= params.keys() else ""

    return _OPTIONAL.sub(keep_known, words).format_map(params)


def detect_language(question: str) -> Language:
    """Return the language with the most function words in a question; English on a tie."""
    words = [word.casefold() for word in _WORD.findall(question)]
    known = {"en": en.FUNCTION_WORDS, "de": de.FUNCTION_WORDS}
    languages: tuple[Language, ...] = get_args(Language)
    return max(languages, key=lambda name: sum(word in known[name] for word in words))
