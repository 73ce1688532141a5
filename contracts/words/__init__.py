"""The wording of reports, notices, checkpoints and errors: one catalogue per language, by code.

The page is built with the same two files, `en.json` and `de.json`; it lists its languages in `web/src/strings/index.ts`.
Their texts are ICU messages
(https://unicode-org.github.io/icu/userguide/format_parse/messages): `{name}` is a hole, and
`{n, plural, one {# page} other {# pages}}` depends on a number. Four things are not of ICU: what
stands in square brackets is left out where a value in it is missing, `{names:,}` joins a list by
commas, `{price:$}` writes a number of dollars, and `{name:a}` puts English's article before a value.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import Literal, Protocol, get_args

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def _load(language: Language) -> dict[str, str]:
    found: dict[str, str] = json.loads(files(__name__).joinpath(f"{language}.json").read_bytes())
    return found


CATALOGUES: Mapping[Language, Mapping[str, str]] = {name: _load(name) for name in LANGUAGES}
_GROUPED = 10_000
"""Whole numbers from here on are written in groups of three digits."""
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_BRANCH = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_PLURAL = re.compile(rf"\{{(\w+), plural, one {_BRANCH} other {_BRANCH}\}}")
_HOLE = re.compile(r"\{(\w+)(:[,a$])?\}")


class Worded(Protocol):
    """A value that each language has words for."""

    def say(self, language: Language) -> str:
        """Return its words in a language."""


Param = str | int | float | Worded | Sequence["str | Worded"]
"""A parameter: text, a number, an object with its own wording, or a list of these."""


def say(language: Language, code: str, /, **params: Param) -> str:
    """Return the words of a code in a language."""
    return fill(language, CATALOGUES[language][code], params)


def say_name(language: Language, name: str) -> str:
    """Return the display name of an agent, a task or a field; ids of others are spelled as words."""
    if f"name-{name}" in CATALOGUES[language]:
        return say(language, f"name-{name}")
    words = name.replace("_", " ").replace("-", " ")
    return words[:1].upper() + words[1:]


def fill(language: Language, message: str, params: Mapping[str, Param]) -> str:
    """Return a message of a catalogue with its values.

    A list is joined by semicolons, or by commas in a hole `{name:,}`. A number is dollars in a hole
    `{name:$}`; records of earlier versions hold their text.
    """

    def choose_form(plural: re.Match[str]) -> str:
        name, one, other = plural.groups()
        return (one if params.get(name) == 1 else other).replace("#", f"{{{name}}}")

    def keep_known(part: re.Match[str]) -> str:
        holes = {hole[1] for hole in _HOLE.finditer(part[1])}
        return part[1] if holes <= params.keys() else ""

    def write(hole: re.Match[str]) -> str:
        value = params[hole[1]]
        if hole[2] == ":$" and isinstance(value, int | float):
            return write_usd(language, value)
        text = _write(language, value, ", " if hole[2] == ":," else "; ")
        return f"{'an' if text[:1] in 'AEIOaeio' else 'a'} {text}" if hole[2] == ":a" else text

    words = _OPTIONAL.sub(keep_known, message)
    return _HOLE.sub(write, _PLURAL.sub(choose_form, words))


def _write(language: Language, value: Param, separator: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        text = f"{value:,}" if abs(value) >= _GROUPED else f"{value:g}"
        return write_digits(language, text)
    if isinstance(value, Sequence):
        return separator.join(_write(language, each, separator) for each in value)
    return value.say(language)


def write_digits(language: Language, number: str) -> str:
    """Return a number that is written as in English as a language writes it."""
    return number if language == "en" else number.translate({ord(","): ".", ord("."): ","})


def write_usd(language: Language, amount: float) -> str:
    """Return dollars with two digits after the point, four below a cent."""
    digits = 2 if amount == 0 or amount >= 0.01 else 4
    return say(language, "usd", amount=write_digits(language, f"{amount:,.{digits}f}"))


def write_moment(language: Language, moment: str) -> str:
    """Return an ISO 8601 time as day and minute, UTC."""
    form = {"en": "%Y-%m-%d %H:%M UTC", "de": "%d.%m.%Y, %H:%M Uhr UTC"}[language]
    return datetime.fromisoformat(moment).astimezone(UTC).strftime(form)
