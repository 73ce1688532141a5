"""JSON Schemas that users write for the answers of a model, held to linear time.

A schema is foreign: its patterns run on the linear engine of pydantic-core, and its steps are
counted, since a few references can ask for exponentially many.
"""

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Annotated, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from pydantic import AfterValidator
from pydantic_core import SchemaError as PatternError
from pydantic_core import SchemaValidator, core_schema
from referencing import Registry

from contracts.base import Json, SmallJson, Wrong

MAX_STEPS = 200_000
"""About a second; an answer of 16,000 tokens takes some ten thousand."""
MAX_DEPTH = 64
"""Maximum depth of nested keywords; a `RecursionError` inside the validator's Rust code would be a panic."""

Check = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


class SchemaTooCostly(Exception):
    """Checking an answer against the schema would take too many steps."""


def find_violations(schema: Json, value: object) -> Iterator[ValidationError]:
    """Yield a value's violations of a schema.

    Raises:
        SchemaTooCostly: Validation takes more than `MAX_STEPS`, or exceeds `MAX_DEPTH`.
        referencing.exceptions.Unresolvable: A reference leads out of the schema; nothing is loaded.
    """
    steps = depth = 0

    def count(check: Check) -> Check:
        def run(validator: Any, expected: Any, instance: Any, owner: Any) -> Any:
            nonlocal steps, depth
            steps += len(expected) if isinstance(expected, list | dict) else 1
            depth += 1
            if steps > MAX_STEPS or depth > MAX_DEPTH:
                raise SchemaTooCostly(f"takes more than {MAX_STEPS:,} steps or {MAX_DEPTH} levels")
            try:
                yield from check(validator, expected, instance, owner) or ()
            finally:
                depth -= 1

        return run

    counted = {keyword: count(check) for keyword, check in _KEYWORDS.items()}
    validator: Any = extend(Draft202012Validator, counted)  # type: ignore[no-untyped-call]
    yield from validator(schema, registry=Registry()).iter_errors(value)


def _check_pattern(
    validator: Any, pattern: str, instance: Any, _: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _check_unique(validator: Any, wanted: bool, items: Any, _: Any) -> Iterator[ValidationError]:
    if wanted and validator.is_type(items, "array"):
        distinct = {json.dumps(item, sort_keys=True) for item in items}
        if len(distinct) < len(items):
            yield ValidationError(f"{items!r} has equal items")


_KEYWORDS: dict[str, Check] = {
    **Draft202012Validator.VALIDATORS,
    "pattern": _check_pattern,
    "uniqueItems": _check_unique,
}


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern is found in a text, in time linear in the text."""
    return _compile(pattern).isinstance_python(text)


@lru_cache(maxsize=256)
def _compile(pattern: str) -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))


def _require_linear_object(schema: Json) -> Json:
    _check_schema(json.dumps(schema))
    return schema


@lru_cache(maxsize=64)
def _check_schema(text: str) -> None:
    """Check a schema once, however often a definition that holds it is read."""
    schema = json.loads(text)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise Wrong("schema-invalid", reason=error.message) from None
    if schema.get("type") != "object":
        raise Wrong("schema-no-object", example='{"type": "object", …}')
    _check_patterns(schema, "$")


def _check_patterns(node: object, path: str) -> None:
    """Refuse unsupported patterns in any part of a schema: a reference may lead to each."""
    if isinstance(node, list):
        for number, item in enumerate(node):
            _check_patterns(item, f"{path}[{number}]")
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "patternProperties":
                raise Wrong("schema-pattern-properties", place=f"{path}.{key}")
            if key == "pattern" and isinstance(value, str):
                try:
                    _compile(value)
                except PatternError as error:
                    reason = str(error).strip().splitlines()[-1].removeprefix("error: ").strip()
                    place = f"{path}.{key}"
                    told = {"place": place, "pattern": value[:100], "reason": reason}
                    raise Wrong("schema-pattern", **told) from None
            _check_patterns(value, f"{path}.{key}")


ObjectSchema = Annotated[SmallJson, AfterValidator(_require_linear_object)]
"""A JSON Schema that describes an object, up to 20,000 characters."""
