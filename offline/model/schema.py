"""JSON schemas, resolved part by part, and the shapes that a reply is chosen by."""

import itertools
import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]

TYPES: dict[str, tuple[type, ...]] = {"object": (dict,), "array": (list, tuple), "string": (str,)}
TYPES |= {"integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),)}
IMPLIED = {"properties": "object", "required": "object", "items": "array", "prefixItems": "array"}
BOUND = re.compile(r"\b((?:min|max|exclusiveM)\w+|multipleOf): (-?\d+(?:\.\d+)?)\b")
"""A constraint that Anthropic's SDK appends to a description because the API does not accept it in schemas."""
DEEPEST_SHAPE = 7
SHORT_CHARS = 300
"""The bound on its length by which a string is a label rather than a text."""


class Schemas:
    """Resolves the parts of one schema."""

    def __init__(self, root: Schema | bool) -> None:
        self._root: Schema = root if isinstance(root, dict) else {}

    def is_valid(self, value: Any, schema: Schema) -> bool:
        """Return whether a value is an instance of a part of the schema."""
        parts = {key: self._root[key] for key in ("$defs", "definitions") if key in self._root}
        return Draft202012Validator({**schema, **parts}).is_valid(value)

    def resolve(self, part: Schema | bool) -> Schema:
        """Return a part with its references resolved and the constraints of its description added."""
        schema = part if isinstance(part, dict) else {}
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            schema = merge_schemas(self.resolve(self._target(schema["$ref"])), rest)
        for other in schema.get("allOf", []):
            schema = merge_schemas(schema, self.resolve(other))
        return parse_constraints(schema) | schema

    def _target(self, reference: str) -> Schema | bool:
        found: Any = self._root
        for key in reference.removeprefix("#").split("/")[1:]:
            found = found[key.replace("~1", "/").replace("~0", "~")]
        return found if isinstance(found, dict) else {}


def parse_constraints(schema: Schema) -> Schema:
    """Parse the constraints appended to a schema's description."""
    text = schema.get("description")
    block = f"\n\n{text}".rpartition("\n\n{")[2] if isinstance(text, str) else ""
    return {k: json.loads(value) for k, value in BOUND.findall(block) if block.endswith("}")}


def merge_schemas(one: Schema, other: Schema) -> Schema:
    """Return a schema that holds what both parts say, as far as objects go."""
    both = {**one, **other}
    properties = {**one.get("properties", {}), **other.get("properties", {})}
    for part in (one, other):
        if part.get("additionalProperties") is False:
            both["additionalProperties"] = False
            own = part.get("properties", {})
            properties = {name: value for name, value in properties.items() if name in own}
    if "properties" in both:
        both["properties"] = properties
    if required := [*one.get("required", []), *other.get("required", [])]:
        both["required"] = list(dict.fromkeys(required))
    return both


def is_type(value: Any, kind: str) -> bool:
    """Return whether a value is of a JSON type."""
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind])


def list_types(schema: Schema) -> list[str]:
    """Return the JSON types that a schema allows; empty if it does not restrict them."""
    allowed = schema.get("type") or [kind for key, kind in IMPLIED.items() if key in schema]
    return [allowed] if isinstance(allowed, str) else list(allowed)


class Shape:
    """A part of a schema; of several alternatives, the first that is not null."""

    def __init__(self, schemas: Schemas, part: Schema | bool) -> None:
        self._schemas = schemas
        self.schema = schemas.resolve(part)
        branches = self.schema.get("anyOf") or self.schema.get("oneOf") or []
        wholes = [schemas.resolve(branch) for branch in branches]
        telling = [whole for whole in wholes if list_types(whole) != ["null"]]
        self.is_nullable = len(telling) < len(wholes) or "null" in list_types(self.schema)
        if telling:
            own = {k: v for k, v in self.schema.items() if k not in {"anyOf", "oneOf"}}
            self.schema = merge_schemas(own, telling[0])

    @cached_property
    def kind(self) -> str:
        """The JSON type, `enum` if the values are listed, or empty."""
        if "enum" in self.schema or "const" in self.schema:
            return "enum"
        return next((kind for kind in list_types(self.schema) if kind != "null"), "")

    @cached_property
    def properties(self) -> dict[str, "Shape"]:
        """The shapes of an object's properties."""
        given = self.schema.get("properties", {}) if self.kind == "object" else {}
        return {name: Shape(self._schemas, part) for name, part in given.items()}

    @cached_property
    def items(self) -> "Shape | None":
        """The shape of an array's items."""
        part = self.schema.get("items")
        return Shape(self._schemas, part) if self.kind == "array" and part else None

    def walk(self, depth: int = 0) -> "Iterator[Shape]":
        """Yield it and the shapes in it, a few levels deep."""
        yield self
        for inner in (*self.properties.values(), *filter(None, [self.items])):
            if depth < DEEPEST_SHAPE:
                yield from inner.walk(depth + 1)

    def find_names(self, kind: str) -> list[str]:
        """Return the names of an object's properties of a kind, without those that may be left out or null."""
        return [
            name
            for name, shape in self.properties.items()
            if shape.kind == kind and (self.requires(name) or not shape.is_nullable)
        ]

    def find_lists(self, kind: str) -> list[str]:
        """Return the names of an object's properties that are lists of a kind."""
        return [name for name, items in self.list_items() if items.kind == kind]

    def requires(self, name: str) -> bool:
        """Return whether an object must have a property."""
        return name in self.schema.get("required", [])

    def list_items(self) -> "Iterator[tuple[str, Shape]]":
        """Yield the lists of an object, each with the shape of its items."""
        yield from ((name, each.items) for name, each in self.properties.items() if each.items)

    @property
    def most_chars(self) -> int:
        """The maximum length, or 0 if it is unbounded."""
        return int(self.schema.get("maxLength", 0))

    @property
    def options(self) -> list[Any]:
        """The values that it may have."""
        return list(self.schema.get("enum") or [self.schema.get("const")])

    @property
    def texts(self) -> list[str]:
        """The names of an object's required strings, or of all its strings if none is required."""
        names = self.find_names("string")
        return [name for name in names if self.requires(name)] or names

    @cached_property
    def quoting(self) -> tuple[str, ...]:
        """The names of a whole number and of the string that follows it: a source and its quote."""
        kinds = {name: shape.kind for name, shape in self.properties.items()}
        pairs = (p for p in itertools.pairwise(kinds) if kinds[p[0]] == "integer")
        return next((p for p in pairs if kinds[p[1]] == "string"), ())

    @cached_property
    def citing(self) -> str:
        """The name of the list of citations in an object that has just one string to cite for; else empty."""
        found = (
            n for n, items in self.list_items() if items.quoting and len(items.properties) == 2
        )
        return next(found, "") if len(self.texts) == 1 else ""

    @cached_property
    def carrying(self) -> str:
        """The name of the one property of an object that is a statement by itself, and not null."""
        inner = {n: s for n, s in self.properties.items() if not s.is_nullable}
        found = [n for n, s in inner.items() if s.citing or s.quoting]
        return found[0] if len(found) == 1 else ""

    @property
    def is_statement(self) -> bool:
        """Return whether it is an object that quotes sources: by itself, in a list or in a part."""
        return bool(self.quoting or self.citing or self.carrying)

    @property
    def lists_statements(self) -> bool:
        """Return whether it is an object with a list of statements."""
        return any(items.is_statement for _, items in self.list_items())

    @property
    def is_rating(self) -> bool:
        """Return whether it is an object with a number between two bounds."""
        numbers = [self.properties[name].schema.keys() for name in self.find_names("number")]
        return any({"minimum", "maximum"} <= bounds for bounds in numbers)

    @property
    def is_record(self) -> bool:
        """Return whether it is an object of strings, which may have marks."""
        kinds = {shape.kind for shape in self.properties.values()}
        return "string" in kinds and kinds <= {"string", "enum", "boolean"}
