"""The JSON schema that a model's answer is asked for by: of one of our models, without what code fills in."""

from functools import cache
from typing import Any

from pydantic import BaseModel, Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from contracts.base import NO_CONTROL_PATTERN, Json


def code_fills(default: Any, description: str) -> Any:
    """Return a field set by code, which is excluded from models' answer schemas."""
    return Field(default=default, description=description, json_schema_extra={"readOnly": True})


class AnswerSchema(GenerateJsonSchema):
    """The JSON schema of a model's answer: without what code fills in, or checks alone."""

    def str_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of a text, without the pattern that refuses control characters."""
        found = super().str_schema(schema)
        return {k: v for k, v in found.items() if (k, v) != ("pattern", NO_CONTROL_PATTERN)}

    def model_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of a model, without its docstring, which is written for developers; or of its `ANSWERED_AS`."""
        if written := getattr(schema["cls"], "ANSWERED_AS", None):
            return self.generate_inner(TypeAdapter(written).core_schema)
        found = super().model_schema(schema)
        return {k: v for k, v in found.items() if k != "description"}

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Return an optional field's schema without an empty default, which optionality implies."""
        found = super().default_schema(schema)
        return found if found.get("default") else {k: v for k, v in found.items() if k != "default"}

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False: a field's title would only repeat its name, and costs tokens in every request."""
        return False

    def field_is_present(self, field: Any) -> bool:
        """Return True unless the field is read-only: code fills it, so a model is not asked for it."""
        extra = field.get("metadata", {}).get("pydantic_js_extra") or {}
        return not extra.get("readOnly")


@cache
def get_answer_schema(model: type[BaseModel]) -> Json:
    """Return the JSON schema of a model's answer; it is cached and must not be changed."""
    schema = model.model_json_schema(schema_generator=AnswerSchema)
    for part in schema.get("$defs", {}).values():
        part.pop("title", None)  # its key is the same
    return schema
