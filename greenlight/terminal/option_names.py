"""Names on the command line of what the gateway refuses."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from pydantic import ValidationError

from contracts.base import describe_error
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
_PARTS = {
    r"\bconfig_overrides\.([\w.-]+?)\.config\.": r"--set \1.",
    r"\bconfig_overrides\.": "--set ",
    r"\binputs\.([\w-]+): ": r"--input \1: ",
    r"\bmodifications\.": "--modifications ",
    r"\banswers\.": "",
    r"needs from_run": f"needs {OPTIONS['from_run']}",
}


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
        raise UsageError(_name_fields(f"{path}: {describe_error(first)}")) from error
    except Refused as refused:
        is_usage = refused.status is HTTPStatus.UNPROCESSABLE_ENTITY
        kind = UsageError if is_usage else CommandError
        raise kind(_name_fields(str(refused))) from refused


def _name_fields(text: str) -> str:
    """Return problems with our options in place of the request's fields."""
    for field, option in _PARTS.items():
        text = re.sub(field, option, text)
    fields = "|".join(OPTIONS)
    return re.sub(rf"(^|; )({fields})(?=[:.\[])", lambda m: m[1] + OPTIONS[m[2]], text)
