"""Base classes of all models, and the field types they share."""

import json
import unicodedata
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    JsonValue,
    StringConstraints,
    ValidationError,
)
from pydantic_core import core_schema

from contracts.words import Param, say


class _SerializedByType:
    """Serializes a JSON value by its types: pydantic would call Python for each node to select a member of the union."""

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        serialization = core_schema.simple_ser_schema("any")
        return {**handler(source), "serialization": serialization}


Json = dict[str, Annotated[JsonValue, _SerializedByType]]
DAY = 86_400.0
"""Seconds of a day."""


class Wrong(ValueError):
    """Refusal of a validator: a code of the catalogues of words, and the path within the value."""

    def __init__(self, code: str, /, at: str = "", **params: Param) -> None:
        self.code = code
        self.at = at
        self.params: dict[str, Any] = params
        words = say("en", code, **params)
        super().__init__(f"{at}: {words}" if at else words)


def _require_serializable(value: Json) -> Json:
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        raise Wrong("value-not-json", reason=str(error)) from None
    return value


ExternalJson = Annotated[Json, AfterValidator(_require_serializable)]
"""JSON from outside: no infinity, no NaN, no lone surrogate."""


def _require_small(value: Json) -> Json:
    if len(json.dumps(value, ensure_ascii=False)) > 20_000:
        raise Wrong("value-json-long", n=20_000)
    return value


SmallJson = Annotated[ExternalJson, AfterValidator(_require_small)]
"""JSON from outside that is stored: up to 20,000 characters."""

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
"""An id that users may choose, of a definition or a phase."""

RUN_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$"
RunId = Annotated[str, StringConstraints(pattern=RUN_ID_PATTERN)]
"""A run's id, which is its Temporal workflow id; a Temporal Schedule appends its time, `…T09:00:00Z`."""

NO_CONTROL_PATTERN = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202d\u202e]*$"

Text = Annotated[str, StringConstraints(strip_whitespace=True, pattern=NO_CONTROL_PATTERN)]
"""Text in any script, with line breaks and tabs; no other control characters, and none that turn its order around."""


def _require_visible(text: str) -> str:
    if not any(unicodedata.category(sign)[0] in "LNPS" for sign in text):
        raise Wrong("value-invisible")
    return text


Question = Annotated[Text, Field(min_length=1, max_length=20_000), AfterValidator(_require_visible)]
"""A research question: 1 to 20,000 characters, of which some can be seen."""

Note = Annotated[Text, Field(max_length=20_000)]
"""Any other text of a user: up to 20,000 characters."""


class Contract(BaseModel):
    """An immutable value that crosses a boundary; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def read_record(cls, record: Any) -> Self:
        """Return a stored record of any release; fields that only a newer release knows are left out.

        Records of this release are read strictly, so that a union of types keeps its choice.
        """
        try:
            return cls.model_validate(record)
        except ValidationError:
            return cls.model_validate(record, extra="ignore")


class Additive(Contract):
    """A model of numbers that can be added field by field."""

    def __add__(self, other: Self) -> Self:
        """Return the sum of both."""
        return type(self)(
            **{n: getattr(self, n) + getattr(other, n) for n in type(self).model_fields}
        )


Item = TypeVar("Item")


class Page(Contract, Generic[Item]):
    """A page of a list; `next_cursor` leads to the next one."""

    items: list[Item]
    next_cursor: str | None = None


class Mutable(BaseModel):
    """A part of a run's state, which its workflow changes in place."""

    model_config = ConfigDict(extra="forbid")
