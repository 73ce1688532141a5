"""Names on the command line of what the gateway refuses."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from pydantic import ValidationError

from contracts.base import describe_error
from contracts.errors import Problem, join_problems
from contracts.human.messages import AnswerQuestions, Decide
from contracts.runs.request import RunRequest
from greenlight.client import Refused
from greenlight.errors import CommandError, UsageError

OPTIONS = {
    "query": "QUESTION",
    "user_id": "--user",
    "startup_id": "--startup",
    "budget": "--budget",
    "temp_workflow": "--temp",
    "only": "--only",
    "until": "--until",
    "redo": "--redo",
    "files": "--file",
    "collections": "--collection",
    "from_run": "--from-run",
    "text": "TEXT",
    "seq": "EVENT",
    "to": "USER",
    "by": "--by",
    "feedback": "--feedback",
    "choice": "--choice",
    "plan_hash": "--plan-hash",
    "since": "--since",
    "limit": "--limit",
    "status": "--status",
}
"""Command-line name of each field of a start, a message or a list."""
TYPED = {model.__name__ for model in (RunRequest, AnswerQuestions, Decide)}


@contextmanager
def name_options() -> Iterator[None]:
    """Name in an error the option in place of a field, which is invalid here or to the gateway."""
    try:
        yield
    except ValidationError as error:
        if error.title not in TYPED:  # an answer of the gateway, which nobody typed
            raise
        first = error.errors()[0]
        path = ".".join(map(str, first["loc"]))
        raise UsageError(_describe([Problem(path=path, message=describe_error(first))])) from error
    except Refused as refused:
        is_usage = refused.status is HTTPStatus.UNPROCESSABLE_ENTITY
        kind = UsageError if is_usage else CommandError
        raise kind(_describe(refused.problems) or str(refused)) from refused


def _describe(problems: list[Problem]) -> str:
    named = (Problem(path=name_option(each.path), message=each.message) for each in problems)
    return join_problems([*named])


def name_option(path: str) -> str:
    """Return what is typed for the field at a JSON path; the path itself where no option sets it."""
    match path.split("."):
        case ["answers", question, *rest]:
            return ".".join([question, *rest])
        case ["inputs", *rest] if rest:
            return f"--input {'.'.join(rest)}"
        case ["modifications", *rest] if rest:
            return f"--modifications {'.'.join(rest)}"
        case ["config_overrides", phase, "config", *rest] if rest:
            return f"--set {'.'.join([phase, *rest])}"
        case ["config_overrides", *rest] if rest:
            return f"--set {'.'.join(rest)}"
    field = re.split(r"\W", path, maxsplit=1)[0]
    return OPTIONS.get(field, field) + path[len(field) :]
