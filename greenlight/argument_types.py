"""Types of the command line's arguments: each reads a typed word, or says what is wrong with it."""

import json
from argparse import ArgumentTypeError
from pathlib import Path

from activities.late_packages import Feature
from contracts.words import Param, say

FEATURE_NAMES: tuple[Feature, ...] = ("crew", "exports", "recall")


def number(text: str) -> float:
    """Return a number, such as an amount in dollars."""
    try:
        return float(text)
    except ValueError:
        raise _refuse("cli-not-number", text=text) from None


def whole_number(text: str) -> int:
    """Return a whole number."""
    try:
        return int(text)
    except ValueError:
        raise _refuse("cli-not-whole-number", text=text) from None


def assignment(text: str) -> tuple[str, str]:
    """Return the name and the value of `NAME=VALUE`."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise _refuse("cli-not-assignment", text=text, form="NAME=VALUE")
    return name, value


def phases(text: str) -> list[str]:
    """Return the names of phases, which are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def setting(text: str) -> tuple[str, str, object]:
    """Return phase, field and value; a value that is not JSON is a string."""
    name, value = assignment(text)
    phase, _, field = name.rpartition(".")
    if not (phase and field):
        raise _refuse("cli-not-assignment", text=text, form="PHASE.FIELD=VALUE")
    try:
        return phase, field, json.loads(value)
    except ValueError:
        return phase, field, value


def feature(text: str) -> str:
    """Return the name of a feature that is installed when first used."""
    if text not in FEATURE_NAMES:
        raise _refuse(
            "cli-not-among",
            what="feature",
            word=text,
            hint=say("en", "there-are", known=FEATURE_NAMES),
        )
    return text


def json_file(text: str) -> object:
    """Return the value that a JSON file holds."""
    try:
        return json.loads(Path(text).read_text("utf-8"))
    except OSError as error:
        raise _refuse("cli-unreadable", path=text, reason=str(error.strerror)) from error
    except ValueError as error:
        raise _refuse("cli-not-json", path=text, reason=str(error)) from error


def json_lines_file(text: str) -> object:
    """Return the value of a JSON file, or the list of a file's values with one in each line."""
    try:
        return [json.loads(line) for line in Path(text).read_text("utf-8").splitlines() if line]
    except (OSError, ValueError):
        return json_file(text)


def directory(text: str) -> Path:
    """Return the absolute path of a directory, which exists."""
    path = Path(text).expanduser().absolute()
    if not (text and path.is_dir()):
        raise _refuse("cli-not-directory", path=text)
    return path


def _refuse(code: str, /, **params: Param) -> ArgumentTypeError:
    return ArgumentTypeError(say("en", code, **params))
