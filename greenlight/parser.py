"""Parser of the command line: it refuses in a line of our own, with the nearest word that exists."""

import re
import tomllib
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from typing import NoReturn

from domain.suggestions import suggest
from greenlight.bootstrap import ROOT
from greenlight.errors import UsageError

MOST_LISTED = 12
"""Words that a line still lists where none is near; the help has them all."""


class PrintVersion(Action):
    """Action that prints the version and exits."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        """Print the version that pyproject.toml states."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        print(f"greenlight {project['version']}")
        parser.exit()


class CommandParser(ArgumentParser):
    """Parser that raises a UsageError in place of printing its usage and exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong, in a sentence."""
        raise UsageError(f"{_rephrase(message)}\nMore: {self.prog} --help")


def parse(parser: ArgumentParser, words: Sequence[str]) -> Namespace:
    """Return the parsed words; those of `test` that are unknown are pytest's.

    Raises:
        UsageError: they name what does not exist, leave out what is needed, or are not text.
    """
    try:
        " ".join(words).encode()
    except UnicodeEncodeError:
        raise UsageError("what was typed is not UTF-8: set the terminal to it") from None
    args, rest = parser.parse_known_args(words)
    if args.function == "test":
        args.pytest = rest
    elif rest:
        command: ArgumentParser = args.parser
        option = next((word.split("=")[0] for word in rest if word.startswith("-")), None)
        if option is None:
            quoted = "; a question stands in quotes" if "QUESTION" in command.format_usage() else ""
            command.error(f"too many words: {' '.join(rest)!r}{quoted}")
        options = set(re.findall(r"--[\w-]+", command.format_usage()))
        command.error(f"there is no option {option!r}; {suggest(option, sorted(options))}")
    return args


def _rephrase(message: str) -> str:
    """Return what argparse has to say, in our words."""
    if found := re.fullmatch(
        r"argument (.+?): invalid choice: '(.*)' \(choose from (.*)\)", message
    ):
        name, word, choices = found.groups()
        what = "command" if name == "COMMAND" else name
        known = re.findall(r"[\w-]+", choices)
        near = suggest(word, known)
        is_listed = near.startswith("there are") and len(known) > MOST_LISTED
        return f"there is no {what} {word!r}" + ("" if is_listed else f"; {near}")
    message = re.sub(r"^argument (.+?): ", r"\1: ", message)
    message = re.sub(r"^the following arguments are required: (.+)$", r"\1: is missing", message)
    message = re.sub(r"invalid int value: (.+)$", r"\1 is not a whole number", message)
    message = re.sub(r"invalid float value: (.+)$", r"\1 is not a number", message)
    return re.sub(r"expected (?:one|at least one) argument$", "a value is missing", message)
