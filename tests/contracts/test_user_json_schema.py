"""User JSON schemas: their limits, and that none validates an answer slowly."""

import contextlib
import time
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from contracts.models.user_json_schema import ObjectSchema, SchemaTooCostly, find_violations
from tests.support.words import en, pattern

SCHEMA: TypeAdapter[dict[str, Any]] = TypeAdapter(ObjectSchema)


def of_text(**keywords: object) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "string", **keywords}}}


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ([], "valid dictionary"),
        ({"type": "string"}, pattern("schema-no-object")),
        ({"type": "object", "properties": 7}, pattern("schema-invalid")),
        (of_text(pattern="(?=a)b"), r"\$\.properties\.a\.pattern: .* look-around"),
        (of_text(pattern=r"(a)\1"), r"\$\.properties\.a\.pattern: .* backreferences"),
        (of_text(pattern=r"\w{1000}"), r"\$\.properties\.a\.pattern: .* size limit"),
        (
            {"type": "object", "anyOf": [{}, {"patternProperties": {"(a+)+$": {}}}]},
            r"\$\.anyOf\[1\]\.patternProperties ",
        ),
        (
            {"type": "object", "$ref": "#/const", "const": {"pattern": "(?=a)"}},
            r"\$\.const\.pattern: ",
        ),
        (of_text(description="x" * 20_000), en("value-json-long", n=20_000)),
    ],
)
def test_schema_that_cannot_be_checked_in_linear_time_is_refused(
    schema: object, problem: str
) -> None:
    with pytest.raises(ValidationError, match=problem):
        SCHEMA.validate_python(schema)


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^[A-Z]{2}$", "DE", True),
        ("^[A-Z]{2}$", "DEU", False),
        ("b", "abc", True),
        (r"^\w+$", "Köln", True),
    ],
)
def test_pattern_is_searched_for(pattern: str, text: str, matches: bool) -> None:
    schema = SCHEMA.validate_python(of_text(pattern=pattern))
    assert bool(list(find_violations(schema, {"a": text}))) is not matches


def test_items_that_repeat_are_told() -> None:
    schema: dict[str, Any] = {"type": "array", "uniqueItems": True}
    assert list(find_violations(schema, [{"a": 1, "b": 2}, {"b": 2, "a": 1}]))
    assert not list(find_violations(schema, [1, "1", True, {"a": 1}]))


DOUBLING = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)}


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (of_text(pattern="^(a+)+$"), {"a": "a" * 60_000 + "b"}),
        ({"type": "object", "$ref": "#/$defs/d0", "$defs": DOUBLING | {"d60": {}}}, {}),
        ({"type": "object", "$ref": "#"}, {}),
        (
            {"type": "object", "properties": {"a": {"items": {"allOf": [{}] * 3_000}}}},
            {"a": [1] * 20_000},
        ),
        (
            {"type": "object", "properties": {"a": {"uniqueItems": True}}},
            {"a": [n if n % 2 else str(n) for n in range(20_000)]},
        ),
    ],
    ids=["pattern", "references", "circle", "product", "unique items"],
)
def test_hostile_schema_takes_no_time(schema: dict[str, Any], answer: dict[str, Any]) -> None:
    SCHEMA.validate_python(schema)
    started = time.thread_time()
    with contextlib.suppress(SchemaTooCostly, RecursionError):
        list(find_violations(schema, answer))
    assert time.thread_time() - started < 5
