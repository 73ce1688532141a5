"""JSON Schemas that users write for the answers of a model."""

from typing import Annotated

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import AfterValidator

from contracts.base import ExternalJson, Json


def _require_object(schema: Json) -> Json:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"must be a JSON Schema: {error.message}") from None
    if schema.get("type") != "object":
        raise ValueError('must describe an object: {"type": "object", …}')
    return schema


ObjectSchema = Annotated[ExternalJson, AfterValidator(_require_object)]
"""A JSON Schema that describes an object."""
