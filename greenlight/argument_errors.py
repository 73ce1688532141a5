"""Argument parser whose error is one line, with the most similar valid word."""

import tomllib
from argparse import SUPPRESS, Action, ArgumentError, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from importlib.metadata import version
from typing import Any, NoReturn

from contracts.words import say
from greenlight.bootstrap import IS_CLONE, ROOT
from greenlight.errors import UsageError

MOST_LISTED = 12
"""Maximum number of valid words to list if none is similar; the help has them all."""


class PrintVersion(Action):
    """Action that prints the version and exits."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        """Print the version, as pyproject.toml or the installed package states it."""
        print(f"greenlight {find_version()}")
        parser.exit()


def find_version() -> str:
    """Return the version that a clone's pyproject.toml or the installed package states."""
    if not IS_CLONE:
        return version("greenlight")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


class CommandParser(ArgumentParser):
    """Parser that raises a UsageError in place of printing its usage and exiting."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, exit_on_error=False)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> tuple[Namespace, list[str]]:
        """Parse words, and return those that are unknown, too.

        Raises:
            UsageError: An argument is missing, or its value is invalid.
        """
        parsed = namespace or Namespace()
        try:
            return super().parse_known_args(args, parsed)
        except ArgumentError as error:
            if error.argument_name:
                what = self._explain(error, parsed)
                self.refuse(say("en", "at-path", path=error.argument_name, what=what))
            if missing := list(self._list_missing(parsed)):
                self.refuse(say("en", "cli-left-out", names=missing))
            self.refuse(error.message)

    def error(self, message: str) -> NoReturn:
        """Raise what argparse finds wrong with the whole command line, such as a missing argument."""
        raise ArgumentError(None, message)

    def refuse(self, problem: str) -> NoReturn:
        """Raise a usage error for a problem, and tell the user which command's `--help` to read."""
        raise UsageError.of("cli-more", problem=problem, command=self.prog)

    @property
    def takes_question(self) -> bool:
        """Whether words without an option are a question."""
        return any(action.dest == "question" for action in self._actions)

    @property
    def options(self) -> list[str]:
        """The options that its help shows, by name."""
        shown = (action for action in self._actions if action.help != SUPPRESS)
        names = {name for action in shown for name in action.option_strings}
        return sorted(name for name in names if name.startswith("--"))

    def _explain(self, error: ArgumentError, parsed: Namespace) -> str:
        """Return why an argument is refused: beside one that it excludes, with a value that it does not take, or else."""
        action = next(a for a in self._actions if _name(a) == error.argument_name)
        for group in self._mutually_exclusive_groups:
            others = [a for a in group._group_actions if a is not action]
            if len(others) < len(group._group_actions) and any(
                _is_given(a, parsed) for a in others
            ):
                return say("en", "cli-excludes", names=[*map(_name, others)])
        return say("en", "cli-takes-no-value") if action.nargs == 0 else error.message

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """Return the options that a word may abbreviate, and refuse it if there are several."""
        found = super()._get_option_tuples(option_string)
        names = [name for name in self._option_string_actions if name.startswith(option_string)]
        if len(found) > 1:
            self.refuse(say("en", "cli-ambiguous", option=option_string, known=names))
        return found

    def _list_missing(self, parsed: Namespace) -> Iterator[str]:
        """Yield the names of required arguments that were not parsed."""
        for action in self._actions:
            if action.required and getattr(parsed, action.dest, None) is None:
                yield _name(action)
        for group in self._mutually_exclusive_groups:
            if group.required and not any(_is_given(a, parsed) for a in group._group_actions):
                yield " | ".join(map(_name, group._group_actions))

    def _check_value(self, action: Action, value: Any) -> None:
        """Refuse a value that is not among the choices, suggesting the most similar one."""
        if action.choices is not None and value not in action.choices:
            what = "/".join(action.option_strings) or str(action.metavar).lower()
            hint = _suggest(value, list(action.choices)) or None
            told: dict[str, str] = {"hint": hint} if hint else {}
            self.refuse(say("en", "cli-not-among", what=what, word=value, **told))

    def _match_argument(self, action: Action, pattern: str) -> int:
        """Return how many words an argument takes, and refuse it if these are too few."""
        try:
            return super()._match_argument(action, pattern)
        except ArgumentError:
            raise ArgumentError(action, say("en", "cli-no-value")) from None


def _name(action: Action) -> str:
    """Return how an argument is named in errors: its options, or the word for its value."""
    return "/".join(action.option_strings) or str(action.metavar)


def _is_given(action: Action, parsed: Namespace) -> bool:
    return bool(getattr(parsed, action.dest, None) != action.default)


def parse(parser: ArgumentParser, words: Sequence[str]) -> Namespace:
    """Return the parsed words; unknown words of `test` are passed to pytest.

    Raises:
        UsageError: A word is unknown, missing, or not valid text.
    """
    try:
        " ".join(words).encode()
    except UnicodeEncodeError:
        raise UsageError.of("cli-not-utf8") from None
    args, rest = parser.parse_known_args(words)
    rest = _take_last_word(args, rest)
    if args.function == "test":
        args.pytest = rest
    elif rest:
        command: CommandParser = args.parser
        option = next((word.split("=")[0] for word in rest if word.startswith("-")), None)
        if option is None:
            code = "cli-words-many-question" if command.takes_question else "cli-words-many"
            command.refuse(say("en", code, words=" ".join(rest)))
        hint = _suggest(option, command.options, most=len(command.options))
        command.refuse(say("en", "cli-option-unknown", option=option, hint=hint))
    return args


def _take_last_word(args: Namespace, rest: list[str]) -> list[str]:
    """Give a word that follows options to the command's optional word, and return the others.

    `argparse` fills that word with the first words alone: `follow-up RUN --yes "And Uganda?"` left it empty.
    """
    optional = getattr(args, "optional_word", None)
    if not optional or getattr(args, optional) is not None or not rest or rest[0].startswith("-"):
        return rest
    setattr(args, optional, rest[0])
    return rest[1:]


def _suggest(word: str, known: Sequence[str], most: int = MOST_LISTED) -> str:
    """Return the nearest known word, or else all that there are, unless these are too many."""
    if near := get_close_matches(word, known, 1):
        return say("en", "did-you-mean", near=near[0])
    return say("en", "there-are", known=known) if len(known) <= most else ""
