"""Problems of a request: notices with the path of the field that each is about."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from pydantic import Field
from pydantic_core import ErrorDetails

from contracts.base import NAME_PATTERN, NO_CONTROL_PATTERN, RUN_ID_PATTERN, Wrong
from contracts.notices import Notice, NoticeParam, Severity

Limited = TypeVar("Limited", bound=Notice)
MAX_PROBLEMS = 50
MAX_CHARS = 500


class Problem(Notice):
    """An invalid field of a request."""

    path: str = Field(description="JSON path, e.g. `phases[2].config.wait_seconds`")
    message: str = Field(description="the notice in words")
    severity: Severity = "error"

    @classmethod
    def at(cls, path: str, code: str, /, **params: NoticeParam) -> "Problem":
        """Return the problem of a field by its code."""
        return cls.told(path, Notice.of(code, **params))

    @classmethod
    def told(cls, path: str, notice: Notice) -> "Problem":
        """Return a notice as the problem of a field."""
        return cls(path=path, code=notice.code, params=notice.params, message=notice.text)

    @property
    def notice(self) -> Notice:
        """The notice alone, without the path of its field."""
        return Notice(code=self.code, params=self.params, severity=self.severity)

    @property
    def placed(self) -> Notice:
        """The notice, with the path of its field in front if there is one."""
        what = self.notice
        return Notice.of("at-path", "error", path=self.path, what=what) if self.path else what


_TYPE_CODES: Mapping[str, Sequence[str]] = {
    "value-missing": ("missing",),
    "value-unknown-field": ("extra_forbidden",),
    "value-text": ("string_type",),
    "value-bool": ("bool_type", "bool_parsing"),
    "value-whole": ("int_type", "int_parsing", "int_from_float"),
    "value-number": ("float_type", "float_parsing"),
    "value-finite": ("finite_number",),
    "value-list": ("list_type",),
    "value-object": ("dict_type", "model_type", "model_attributes_type"),
    "value-time": (
        *("date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"),
        *("datetime_parsing", "datetime_from_date_parsing"),
    ),
    "value-short": ("string_too_short",),
    "value-long": ("string_too_long",),
    "value-few": ("too_short",),
    "value-many": ("too_long",),
    "value-above": ("greater_than",),
    "value-least": ("greater_than_equal",),
    "value-below": ("less_than",),
    "value-most": ("less_than_equal",),
    "value-choice": ("literal_error",),
    "value-pattern": ("string_pattern_mismatch",),
}
_CODES = {error: code for code, errors in _TYPE_CODES.items() for error in errors}
_PATTERNS = {
    NO_CONTROL_PATTERN: "value-control",
    NAME_PATTERN: "value-name",
    RUN_ID_PATTERN: "value-run-id",
}
"""Patterns with their own error codes."""
_LIMITS = ("min_length", "max_length", "gt", "ge", "lt", "le")


def explain_error(error: ErrorDetails) -> Notice:
    """Return the notice for a validation error; pydantic's own text if its type has no code."""
    context = error.get("ctx", {})
    if isinstance(wrong := context.get("error"), Wrong):
        return Notice.of(wrong.code, **wrong.params)
    code = _PATTERNS.get(context.get("pattern", "")) or _CODES.get(error["type"])
    if code is None:
        told = re.sub(r"^(Value error, |\w+ (?=should ))| after validation", "", error["msg"])
        return Notice.of("text", text=told.replace("should ", "must ", 1))
    limits: list[float] = [context[name] for name in _LIMITS if name in context]
    params: dict[str, NoticeParam] = {"n": limits[0]} if limits else {}
    if context.get("actual_length"):
        params["found"] = context["actual_length"]
    if "pattern" in context:
        params["pattern"] = context["pattern"]
    if "expected" in context:
        params["allowed"] = re.findall(r"'([^']*)'", context["expected"]) or context["expected"]
    return Notice.of(code, **params)


def find_place(error: ErrorDetails, path: str = "") -> str:
    """Return the path of a validation error below `path`."""
    wrong = error.get("ctx", {}).get("error")
    within = [wrong.at] if isinstance(wrong, Wrong) else []
    return ".".join(filter(None, [path, *map(str, error["loc"]), *within]))


def list_problems(errors: Iterable[ErrorDetails], path: str = "") -> list[Problem]:
    """Return validation errors as problems, each with its place below `path`."""
    return [Problem.told(find_place(error, path), explain_error(error)) for error in errors]


def limit_problems(problems: Sequence[Problem], unlisted: int = 0) -> list[Problem]:
    """Return the first 50 problems, each up to 500 characters long, and a count of all others."""
    rest = len(problems) + unlisted - MAX_PROBLEMS
    limited = [
        limit_notice(problem).model_copy(
            update={"path": problem.path[:MAX_CHARS], "message": problem.message[:MAX_CHARS]}
        )
        for problem in problems[:MAX_PROBLEMS]
    ]
    return [*limited, Problem.at("", "more-problems", n=rest)] if rest > 0 else limited


def limit_notice(notice: Limited) -> Limited:
    """Truncate a notice's parameters to 500 characters of text and 50 items of lists."""
    params = {name: _limit(value) for name, value in notice.params.items()}
    return notice.model_copy(update={"params": params})


def _limit(value: NoticeParam) -> NoticeParam:
    if isinstance(value, str):
        return value[:MAX_CHARS]
    if isinstance(value, Notice):
        return limit_notice(value)
    if isinstance(value, Sequence):
        limited = [_limit(part) for part in value[:MAX_PROBLEMS]]
        return [part for part in limited if isinstance(part, str | Notice)]
    return value


def join_problems(problems: Iterable[Problem]) -> Notice:
    """Return problems as one notice, each with its path."""
    placed = [problem.placed for problem in problems]
    return placed[0] if len(placed) == 1 else Notice.of("problems", "error", problems=placed)
