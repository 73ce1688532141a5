"""Options of the command line in place of the fields that the gateway refuses."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from pydantic import ValidationError

from contracts.human.messages import AnswerQuestions, Decide
from contracts.problems import Problem, join_problems, list_problems
from contracts.runs.request import RunRequest
from greenlight.client import Refused
from greenlight.errors import CommandError, UsageError

ALIKE = [
    "budget",
    "only",
    "until",
    "redo",
    "from_run",
    "depth",
    "by",
    "feedback",
    "choice",
    "plan_hash",
    "since",
    "limit",
    "status",
]
"""Fields that an option is named after."""
OPTIONS = {
    "answers.": "",
    "config_overrides.": "--set ",
    "inputs.": "--input ",
    "modifications.": "--modifications ",
    "query": "QUESTION",
    "user_id": "--user",
    "startup_id": "--startup",
    "temp_workflow": "--temp",
    "files": "--file",
    "collections": "--collection",
    "text": "TEXT",
    "seq": "EVENT",
    "to": "USER",
    **{name: f"--{name.replace('_', '-')}" for name in ALIKE},
}
"""The options that set a field of a start, message or list, or the fields below it."""
TYPED = {model.__name__ for model in (RunRequest, AnswerQuestions, Decide)}


@contextmanager
def name_options() -> Iterator[None]:
    """Name in an error the option in place of a field, which is invalid here or to the gateway."""
    try:
        yield
    except ValidationError as error:
        if error.title not in TYPED:  # a response of the gateway, which was not typed
            raise
        raise UsageError(_describe(list_problems(error.errors()[:1]))) from error
    except Refused as refused:
        is_usage = refused.status is HTTPStatus.UNPROCESSABLE_ENTITY
        kind = UsageError if is_usage else CommandError
        raise kind(_describe(refused.problems) if refused.problems else str(refused)) from refused


def _describe(problems: list[Problem]) -> str:
    named = [Problem.told(name_option(each.path), each.notice) for each in problems]
    return join_problems(named).text


def name_option(path: str) -> str:
    """Return the option that sets the field at a JSON path, or the path itself if there is none."""
    for field, option in OPTIONS.items():
        rest = path.removeprefix(field)
        if rest != path and (field.endswith(".") or not rest[:1].isidentifier()):
            return option + rest.replace(".config.", ".", 1)
    return path
