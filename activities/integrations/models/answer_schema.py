"""The subset of JSON Schema that servers enforce in an answer."""

import anthropic

from contracts.base import Json
from contracts.errors import ModelRejected
from contracts.notices import Notice


def to_enforceable(schema: Json) -> Json:
    """Return a schema in the subset that servers enforce; other rules move into descriptions.

    Raises ModelRejected if the schema cannot be expressed.
    """
    try:
        return anthropic.transform_schema(schema)
    except (ValueError, TypeError, AssertionError):
        raise ModelRejected(Notice.of("model-schema")) from None


def is_strict(schema: Json) -> bool:
    """Return whether each object of an enforceable schema requires all of its fields, as OpenAI's strict mode demands."""
    todo: list[object] = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            if set(part.get("properties") or ()) - {*(part.get("required") or ())}:
                return False
            todo += part.values()
        elif isinstance(part, list):
            todo += part
    return True
