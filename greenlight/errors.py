"""Errors that end a command with one line and an exit code."""


class CommandError(Exception):
    """Error that the user can resolve; shown without a traceback."""

    exit_code = 1


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
