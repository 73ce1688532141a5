"""Errors that end a command with one line and an exit code."""

import os
from typing import Self

from contracts.words import LANGUAGES, Language, Param, say


def find_language() -> Language:
    """Return the language of the terminal's locale, if the catalogues have it, else English."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return next((language for language in LANGUAGES if named.startswith(language)), "en")


class CommandError(Exception):
    """Error that the user can resolve; shown without a traceback."""

    exit_code = 1

    @classmethod
    def of(cls, code: str, /, **params: Param) -> Self:
        """Return the error that a code of the catalogues puts into words, in the terminal's language."""
        return cls(say(find_language(), code, **params))


class UsageError(CommandError):
    """The command line is invalid."""

    exit_code = 2


class NeedsHuman(CommandError):
    """A checkpoint is open and nobody is at the keyboard."""

    exit_code = 3


class Occupied(CommandError):
    """Another stack has the home."""


class Unreachable(CommandError):
    """No stack or gateway responds."""
