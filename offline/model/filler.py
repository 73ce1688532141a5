"""An instance of any JSON schema: a draft is fitted in, and the writer is asked for the rest."""

from typing import Any

from offline.model.answer_drafts import MISSING, Writer
from offline.model.scalars import clamp, fit_string
from offline.model.schema import TYPES, Schema, Schemas, Shape, is_type, list_types, merge_schemas

DEEPEST = 6


class Filler:
    """Walks one schema."""

    def __init__(self, root: Schema | bool, writer: Writer) -> None:
        self._schemas = Schemas(root)
        self._root = root
        self._writer = writer

    def fill(self) -> Any:
        """Return an instance of the schema."""
        return self._fill_value(self._root, MISSING, 0)

    def _fill_value(self, part: Schema | bool, draft: Any, depth: int) -> Any:
        schema = self._schemas.resolve(part)
        if "const" in schema:
            return schema["const"]
        if draft is MISSING and depth <= DEEPEST:
            draft = self._writer.draft(Shape(self._schemas, part))
        if "enum" in schema:
            options = schema["enum"]
            return next((option for option in options if is_same(option, draft)), options[-1])
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return self._fill_branch(schema, branches, draft, depth)
        kind = choose_type(schema, draft)
        return self._fill_type(kind, schema, draft if is_type(draft, kind) else MISSING, depth)

    def _fill_type(self, kind: str, schema: Schema, draft: Any, depth: int) -> Any:
        match kind:
            case "object":
                return self._fill_object(schema, {} if draft is MISSING else draft, depth)
            case "array":
                return self._fill_array(schema, [] if draft is MISSING else draft, depth)
            case "string":
                return fit_string(schema, "" if draft is MISSING else draft)
            case "integer" | "number":
                return clamp(schema, 0 if draft is MISSING else draft, whole=kind == "integer")
            case "boolean":
                return draft is True
            case _:
                return None

    def _fill_branch(self, schema: Schema, branches: list[Schema], draft: Any, depth: int) -> Any:
        rest = {key: value for key, value in schema.items() if key not in {"anyOf", "oneOf"}}
        wholes = [merge_schemas(rest, self._schemas.resolve(branch)) for branch in branches]
        ordered = sorted(wholes, key=lambda whole: measure_distance(whole, draft, depth))
        made = (self._fill_value(whole, draft, depth + 1) for whole in ordered)
        return next((value for value in made if self._schemas.is_valid(value, schema)), None)

    def _fill_array(self, schema: Schema, drafts: list[Any], depth: int) -> list[Any]:
        fixed, rest = schema.get("prefixItems", []), schema.get("items", True)
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(drafts) + len(fixed))
        count = max(least, min(max(len(drafts), len(fixed)), most))
        count = min(count, len(fixed)) if rest is False else count
        drafts = [*drafts, *[MISSING] * count][:count]
        pairs = zip([*fixed, *[rest] * count], drafts, strict=False)
        made = [self._fill_value(part, draft, depth + 1) for part, draft in pairs]
        if not schema.get("uniqueItems"):
            return made
        return drop_repeats(made, least, self._schemas.resolve(rest).get("enum", []))

    def _fill_object(self, schema: Schema, drafts: dict[str, Any], depth: int) -> dict[str, Any]:
        required, properties = schema.get("required", []), schema.get("properties", {})
        extra = schema.get("additionalProperties", True)
        names = dict.fromkeys([*properties, *required])
        shapes = {name: Shape(self._schemas, part) for name, part in properties.items()}
        is_open = depth <= DEEPEST and not Shape(self._schemas, schema).citing
        asked = {n for n, s in shapes.items() if is_open and s.kind in ("object", "array")}
        wanted = [name for name in names if name in required or name in drafts or name in asked]
        free = [] if properties or extra is False else [n for n in drafts if n not in names]
        short = schema.get("minProperties", 0) - len(wanted) - len(free)
        added = [f"item_{n}" for n in range(1, short + 1)]
        return {
            name: self._fill_value(
                properties.get(name, extra), drafts.get(name, MISSING), depth + 1
            )
            for name in [*wanted, *free, *added]
        }


def is_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same; True is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def choose_type(schema: Schema, draft: Any) -> str:
    """Return the JSON type to make: the draft's if the schema allows it, else its first."""
    kinds = list_types(schema) or (["string"] if draft is MISSING else list(TYPES))
    fitting = [kind for kind in kinds if draft is not MISSING and is_type(draft, kind)]
    telling = [kind for kind in kinds if kind != "null"]
    return next(iter([*fitting, *telling]), "null")


def measure_distance(schema: Schema, draft: Any, depth: int) -> int:
    """Return how far a branch is from a draft; without one, how unwelcome it is."""
    kind = choose_type(schema, draft)
    if draft is not MISSING:
        return int(not is_type(draft, kind))
    return int(kind in {"object", "array"} if depth > DEEPEST else kind == "null")


def drop_repeats(items: list[Any], least: int, options: list[Any]) -> list[Any]:
    """Return items without repeats; a repeat that is needed is changed."""
    made: list[Any] = []
    for n, item in enumerate(items):
        tries = [item, *([*options, not item, f"{n} {item}", n] if len(made) < least else [])]
        fresh = [t for t in tries if type(t) is type(item) or t in options]
        made += [t for t in fresh if not any(is_same(t, other) for other in made)][:1]
    return made
