"""Errors that end a command with one line and an exit code."""

from typing import Self

from contracts.words import Param, say
from greenlight import exit_codes


class CommandError(Exception):
    """Error that the user can resolve; shown without a traceback."""

    exit_code = exit_codes.FAILED

    @classmethod
    def of(cls, code: str, /, **params: Param) -> Self:
        """Return the error that a code of the catalogues puts into words."""
        return cls(say("en", code, **params))


class UsageError(CommandError):
    """The command line is invalid."""

    exit_code = exit_codes.USAGE


class NeedsHuman(CommandError):
    """A checkpoint is open, and nobody can answer interactively."""

    exit_code = exit_codes.NEEDS_HUMAN


class Occupied(CommandError):
    """Another stack has the home."""


class Unreachable(CommandError):
    """No stack or gateway responds."""
