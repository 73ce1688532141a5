"""The two bases every model derives from, and the field types they share."""

import json
from functools import cache
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints
from pydantic_core import ErrorDetails

Json = dict[str, JsonValue]


def in_order(value: JsonValue) -> JsonValue:
    """Return JSON whose objects have their keys in one order, whoever has kept it meanwhile."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list) else value


def _storable(value: Json) -> Json:
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        raise ValueError(f"holds what JSON cannot keep: {error}") from None
    return value


GivenJson = Annotated[Json, AfterValidator(_storable)]
"""JSON from outside: no infinity, no NaN, no half of a character."""


def _small(value: Json) -> Json:
    if len(json.dumps(value, ensure_ascii=False)) > 20_000:
        raise ValueError("holds more than 20,000 characters of JSON")
    return value


SmallJson = Annotated[GivenJson, AfterValidator(_small)]
"""JSON from outside that is kept and passed on: up to 20,000 characters."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
"""An id a person may choose: a definition's, a phase's, a run's."""

_NO_CONTROL = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"

Text = Annotated[str, StringConstraints(strip_whitespace=True, pattern=_NO_CONTROL)]
"""Human text: any script, line breaks and tabs, no other control characters."""

Question = Annotated[Text, Field(min_length=1, max_length=20_000)]
"""What a person asks for: 1 to 20,000 characters."""

Note = Annotated[Text, Field(max_length=20_000)]
"""Anything else a person writes: up to 20,000 characters."""


class Contract(BaseModel):
    """A value that crosses a boundary: it never changes, and unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Mutable(BaseModel):
    """A part of a run's state: the workflow that owns it changes it in place."""

    model_config = ConfigDict(extra="forbid", validate_assignment=False)


@cache
def schema_of(model: type[BaseModel]) -> Json:
    """Return a model's JSON schema; not to be changed, since everybody gets the same."""
    return model.model_json_schema()


def complaint(error: ErrorDetails) -> str:
    """Return what a validation error says, in words where pydantic would show a pattern."""
    if error.get("ctx", {}).get("pattern") == _NO_CONTROL:
        return "contains control characters"
    return error["msg"]
