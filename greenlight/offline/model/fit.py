"""Making an instance of any JSON schema: a draft is fitted in, what is missing is written."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from jsonschema import Draft202012Validator

from greenlight.offline.model.scalars import bounded, spelled, variants

Schema = dict[str, Any]

MISSING: Any = object()
DEEPEST = 6
FEW = 3
KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
SHAPES = {"properties": "object", "required": "object", "items": "array", "prefixItems": "array"}


@dataclass(frozen=True)
class Place:
    """Where in the instance a value goes."""

    name: str = ""
    depth: int = 0
    listed: bool = False
    """Whether it stands within an array."""

    def below(self, name: str | None = None, *, listed: bool = False) -> "Place":
        """Return a place one level deeper; without a name, it keeps the name."""
        name = self.name if name is None else name
        return Place(name, self.depth + 1, self.listed or listed)


class Author(Protocol):
    """Writes values that no draft gives."""

    def draft(self, place: Place) -> Any:
        """Return what stands at a place whatever its schema, or MISSING; it need not fit."""
        ...

    def __call__(self, place: Place, kind: str, schema: Schema) -> Any:
        """Return a value of a kind for a place, or MISSING where there is nothing to say."""
        ...


def fit(schema: Schema | bool, draft: Any, author: Author) -> Any:
    """Return an instance of a schema, as close to a draft as it allows."""
    return Fitter(schema, author).value(schema, draft, Place())


class Fitter:
    """Walks one schema."""

    def __init__(self, root: Schema | bool, author: Author) -> None:
        self._root: Schema = root if isinstance(root, dict) else {}
        self._author = author

    def value(self, part: Schema | bool, draft: Any, place: Place) -> Any:
        """Return an instance of a part of the schema."""
        schema = self._resolved(part)
        draft = self._author.draft(place) if draft is MISSING else draft
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choice(schema, draft, place)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return self._branch(schema, branches, draft, place)
        kind = kind_of(schema, draft)
        if draft is MISSING or not is_kind(draft, kind):
            draft = self._author(place, kind, schema)
        return self._make(kind, schema, draft, place)

    def _make(self, kind: str, schema: Schema, draft: Any, place: Place) -> Any:
        match kind:
            case "object":
                return self._object(schema, draft, place)
            case "array":
                return self._array(schema, draft, place)
            case "string":
                return spelled(schema, place.name if draft is MISSING else draft)
            case "integer" | "number":
                return bounded(schema, 0 if draft is MISSING else draft, whole=kind == "integer")
            case "boolean":
                return draft is True
            case _:
                return None

    def _resolved(self, part: Schema | bool) -> Schema:
        schema = part if isinstance(part, dict) else {}
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            schema = merged(self._resolved(self._target(schema["$ref"])), rest)
        for other in schema.get("allOf", []):
            schema = merged(schema, self._resolved(other))
        return schema

    def _target(self, reference: str) -> Schema | bool:
        found: Any = self._root
        for key in reference.removeprefix("#").split("/")[1:]:
            found = found[key.replace("~1", "/").replace("~0", "~")]
        return found if isinstance(found, dict) else {}

    def _choice(self, schema: Schema, draft: Any, place: Place) -> Any:
        options = schema["enum"]
        kind = next((k for k in KINDS if is_kind(options[0], k)), "string")
        is_one = any(same(option, draft) for option in options)
        written = draft if is_one else self._author(place, kind, schema)
        return next((option for option in options if same(option, written)), options[0])

    def _branch(self, schema: Schema, branches: list[Schema], draft: Any, place: Place) -> Any:
        rest = {key: value for key, value in schema.items() if key not in {"anyOf", "oneOf"}}
        wholes = [merged(rest, self._resolved(branch)) for branch in branches]
        ordered = sorted(wholes, key=lambda whole: distance(whole, draft, place))
        deeper = replace(place, depth=place.depth + 1)
        made = (self.value(whole, draft, deeper) for whole in ordered)
        return next((value for value in made if self._is_valid(value, schema)), None)

    def _is_valid(self, value: Any, schema: Schema) -> bool:
        shared = {key: self._root[key] for key in ("$defs", "definitions") if key in self._root}
        return Draft202012Validator({**schema, **shared}).is_valid(value)

    def _array(self, schema: Schema, draft: Any, place: Place) -> list[Any]:
        fixed, rest = schema.get("prefixItems", []), schema.get("items", True)
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        drafts = self._drafts(schema, draft, place)
        count = max(least, len(fixed), len(drafts) if most is None else min(most, len(drafts)))
        count = min(count, len(fixed)) if rest is False else count
        count = count if most is None else min(count, most)
        drafts = [*drafts, *[MISSING] * count][:count]
        below = place.below(listed=True)
        parts = [*fixed, *[rest] * count]
        made = [self.value(p, d, below) for p, d in zip(parts, drafts, strict=False)]
        if not schema.get("uniqueItems"):
            return made
        return distinct(made, least, {} if isinstance(rest, bool) else self._resolved(rest))

    def _drafts(self, schema: Schema, draft: Any, place: Place) -> list[Any]:
        if draft is not MISSING:
            return list(draft)
        return [MISSING] * FEW if schema.get("items") and place.depth <= DEEPEST else []

    def _cited(self, properties: Schema, draft: dict[str, Any]) -> dict[str, Any]:
        """Return a draft that quotes by itself as one that lists its quotes, where that is asked."""
        if not {"text", "source", "quote"} <= draft.keys() or "quote" in properties:
            return draft
        cited = [{"source": draft["source"], "quote": draft["quote"]}]
        claim = {"text": draft["text"], "citations": cited}
        within = (n for n, p in properties.items() if "citations" in self._names(p))
        name = next(within, None)
        return {**draft, **claim} if name is None else {**draft, name: claim}

    def _names(self, part: Schema | bool) -> Schema:
        names: Schema = self._resolved(part).get("properties", {})
        return names

    def _object(self, schema: Schema, draft: Any, place: Place) -> dict[str, Any]:
        required, properties = schema.get("required", []), schema.get("properties", {})
        given: dict[str, Any] = {} if draft is MISSING else self._cited(properties, draft)
        extra = schema.get("additionalProperties", True)
        names = dict.fromkeys([*properties, *required])
        wanted = [n for n in names if n in required or n in given or place.depth <= DEEPEST]
        free = [] if properties or extra is False else [n for n in given if n not in names]
        short = schema.get("minProperties", 0) - len(wanted) - len(free)
        added = [f"item_{n}" for n in range(1, short + 1)]
        return {
            name: self.value(
                properties.get(name, extra), given.get(name, MISSING), place.below(name)
            )
            for name in [*wanted, *free, *added]
        }


def is_kind(value: Any, kind: str) -> bool:
    """Tell whether a value is of a JSON type."""
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, KINDS[kind])


def same(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are the same; True is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def kind_of(schema: Schema, draft: Any) -> str:
    """Return the JSON type to make: the draft's if the schema allows it, else its first."""
    allowed = schema.get("type") or [kind for key, kind in SHAPES.items() if key in schema]
    kinds = [allowed] if isinstance(allowed, str) else list(allowed)
    if not kinds:
        kinds = ["string"] if draft is MISSING else list(KINDS)
    fitting = [kind for kind in kinds if draft is not MISSING and is_kind(draft, kind)]
    telling = [kind for kind in kinds if kind != "null"]
    return next(iter([*fitting, *telling]), "null")


def distance(schema: Schema, draft: Any, place: Place) -> int:
    """Return how far a branch is from a draft; without one, how unwelcome it is."""
    kind = kind_of(schema, draft)
    if draft is not MISSING:
        return 0 if is_kind(draft, kind) and agrees(schema, draft) else 1
    if place.depth > DEEPEST:
        return int(kind in {"object", "array"})
    return int(kind == "null")


def agrees(schema: Schema, draft: Any) -> bool:
    """Tell whether a draft has the constants that tell a branch from its siblings."""
    if not isinstance(draft, dict):
        return True
    constants = {
        name: part["const"]
        for name, part in schema.get("properties", {}).items()
        if isinstance(part, dict) and "const" in part
    }
    return all(draft[name] == value for name, value in constants.items() if name in draft)


def merged(one: Schema, other: Schema) -> Schema:
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


def distinct(items: Iterable[Any], least: int, schema: Schema) -> list[Any]:
    """Return items without repeats; a repeat that is needed is varied."""
    made: list[Any] = []
    for item in items:
        if not any(same(item, other) for other in made):
            made.append(item)
        elif len(made) < least:
            tries = schema.get("enum") or variants(schema, item, least)
            fresh = (t for t in tries if not any(same(t, other) for other in made))
            made.append(next(fresh, item))
    return made
