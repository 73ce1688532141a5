"""JSON Schemas that a user writes for what a model is to answer."""

from typing import Annotated

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import AfterValidator

from contracts.base import GivenJson, Json


def _of_object(schema: Json) -> Json:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"no JSON Schema: {error.message}") from None
    if schema.get("type") != "object":
        raise ValueError('must describe an object: {"type": "object", …}')
    return schema


ObjectSchema = Annotated[GivenJson, AfterValidator(_of_object)]
"""A JSON Schema that describes an object."""
