"""Any JSON schema gets a valid instance, made from what was given."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offline.model.conversation import Conversation
from offline.model.reply import reply
from tests.offline.model_requests import body, instance

NOTE = """Harbour report

The harbour of Porthaven handled 4,120 ships in 2023, 9% more than the year before.
Depth: 14.5 m
Its cranes are old, and Mayor Ines Duarte called the delays unacceptable."""

NAMES = st.sampled_from(["title", "text", "source", "quote", "depth", "is_old", "items", "x"])


def strings() -> st.SearchStrategy[dict[str, Any]]:
    plain = st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={"minLength": st.integers(0, 40), "maxLength": st.integers(40, 90)},
    )
    pattern = st.sampled_from(["^[a-z]+$", r"^\d{4}-\d{2}$", "^(up|down)$", "[A-Z]{2}[0-9]+"])
    formats = st.sampled_from(["date", "date-time", "email", "uri", "uuid"])
    return st.one_of(
        plain,
        st.builds(lambda p: {"type": "string", "pattern": p}, pattern),
        st.builds(lambda f: {"type": "string", "format": f}, formats),
    )


def numbers() -> st.SearchStrategy[dict[str, Any]]:
    kinds = st.sampled_from(["integer", "number"])
    low = st.integers(-1000, 1000)

    def bounds(kind: str, least: int, width: int, exclusive: bool, step: int) -> dict[str, Any]:
        name = "exclusiveMinimum" if exclusive else "minimum"
        limits = {name: least, "maximum": least + width + 2 * step}
        return {"type": kind, **limits, **({"multipleOf": step} if step > 1 else {})}

    bounded = st.builds(bounds, kinds, low, st.integers(1, 50), st.booleans(), st.integers(1, 7))
    return st.one_of(bounded, st.builds(lambda kind: {"type": kind}, kinds))


def leaves() -> st.SearchStrategy[dict[str, Any]]:
    values = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=5))
    return st.one_of(
        strings(),
        numbers(),
        st.sampled_from([{"type": "boolean"}, {"type": "null"}, {}, {"type": ["null", "string"]}]),
        st.builds(lambda value: {"const": value}, values),
        st.builds(lambda options: {"enum": options}, st.lists(values, min_size=1, max_size=4)),
    )


def branches(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    def make_object(
        properties: dict[str, Any], required: list[str], closed: bool
    ) -> dict[str, Any]:
        schema = {"type": "object", "properties": properties}
        needed = sorted(set(required) & properties.keys())
        return schema | {"required": needed} | ({"additionalProperties": False} if closed else {})

    objects = st.builds(
        make_object,
        st.dictionaries(NAMES, inner, max_size=4),
        st.lists(NAMES, max_size=4),
        st.booleans(),
    )
    arrays = st.builds(
        lambda items, least, more: {
            "type": "array",
            "items": items,
            "minItems": least,
            "maxItems": least + more,
        },
        inner,
        st.integers(0, 4),
        st.integers(0, 3),
    )
    tuples = st.builds(
        lambda parts: {
            "type": "array",
            "prefixItems": parts,
            "minItems": len(parts),
            "maxItems": len(parts),
        },
        st.lists(inner, min_size=1, max_size=3),
    )
    unions = st.builds(lambda parts: {"anyOf": parts}, st.lists(inner, min_size=1, max_size=3))
    whole = st.builds(
        lambda one, other: {"allOf": [one, other]},
        objects,
        st.builds(lambda part: {"type": "object", "properties": {"extra": part}}, inner),
    )
    return st.one_of(objects, arrays, tuples, unions, whole)


SCHEMAS = st.recursive(leaves(), branches, max_leaves=12)


def wrapped(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"answer": schema}, "required": ["answer"]}


@settings(max_examples=120, deadline=None)
@given(SCHEMAS)
def test_a_random_schema_gets_a_valid_instance(schema: dict[str, Any]) -> None:
    value = instance(wrapped(schema), question="How deep is the harbour?", **{"source-1": NOTE})
    jsonschema.validate(value, wrapped(schema))


@settings(max_examples=50, deadline=None)
@given(SCHEMAS, st.text(max_size=200))
def test_nothing_given_still_gets_a_valid_instance(schema: dict[str, Any], text: str) -> None:
    content, _ = reply(Conversation.of(body(text, schema=wrapped(schema))))
    jsonschema.validate(json.loads(content[0]["text"]), wrapped(schema))


TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/node"}},
    "required": ["root"],
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "label": {"type": "string", "minLength": 1},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
            "required": ["label", "children", "next"],
            "additionalProperties": False,
        }
    },
}


def test_a_recursive_schema_ends() -> None:
    jsonschema.validate(instance(TREE, **{"source-1": NOTE}), TREE)


UNSEEN = {
    "type": "object",
    "properties": {
        "observations": {
            "type": "array",
            "minItems": 2,
            "items": {
                "type": "object",
                "properties": {
                    "excerpt": {"type": "string"},
                    "source_id": {"type": "integer"},
                    "statement": {"type": "string"},
                },
                "required": ["excerpt", "source_id", "statement"],
            },
        },
        "headline": {"type": "string"},
        "depth": {"type": "number"},
    },
    "required": ["observations", "headline", "depth"],
}


def test_a_schema_never_seen_quotes_the_sources() -> None:
    value = instance(UNSEEN, question="How deep is the harbour of Porthaven?", **{"source-7": NOTE})
    jsonschema.validate(value, UNSEEN)
    assert value["headline"].startswith("No model was asked; this is what the sources say:")
    excerpts = [seen["excerpt"] for seen in value["observations"]]
    assert len(set(excerpts)) == len(excerpts) >= 2
    assert all(excerpt in NOTE for excerpt in excerpts)
    assert {seen["source_id"] for seen in value["observations"]} == {7}


@pytest.mark.parametrize("least", [1, 3, 5])
def test_unique_items_are_unique(least: int) -> None:
    items = {"enum": ["a", "b", "c", "d", "e"]}
    schema = wrapped({"type": "array", "items": items, "minItems": least, "uniqueItems": True})
    jsonschema.validate(instance(schema, **{"source-1": NOTE}), schema)
