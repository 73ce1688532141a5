"""Making an instance of any JSON schema: a draft is fitted in, what is missing is written."""

import re
from collections.abc import Callable
from typing import Any

import jsonschema
import rstr

Schema = dict[str, Any] | bool
Author = Callable[[str, dict[str, Any]], Any]
"""Writes a value for a property from its name and schema; MISSING where it has nothing to say."""

MISSING: Any = object()
DEEPEST = 6
FEW = 3


def fit(schema: Schema, draft: Any, author: Author) -> Any:
    """Return an instance of a schema, as close to a draft as it allows."""
    return Fitter(schema, author).value(schema, draft, "", 0)


class Fitter:
    """Walks one schema."""

    def __init__(self, root: Schema, author: Author) -> None:
        self._root = root
        self._author = author

    def value(self, schema: Schema, draft: Any, name: str, depth: int) -> Any:
        """Return an instance of a part of the schema; `name` is the property it is for."""
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choice(schema, draft, name)
        branches = schema.get("anyOf") or schema.get("oneOf")
        if branches:
            return self._branch(schema, branches, draft, name, depth)
        kind = kind_of(schema, draft)
        maker = getattr(self, f"_{kind}")
        if draft is MISSING or not is_kind(draft, kind):
            draft = self._author(name, schema | {"type": kind})
        return maker(schema, draft, name, depth)

    def _resolved(self, schema: Schema) -> dict[str, Any]:
        if not isinstance(schema, dict):
            return {}
        if "$ref" in schema:
            rest = {key: part for key, part in schema.items() if key != "$ref"}
            schema = self._resolved(self._target(schema["$ref"])) | rest
        for part in schema.get("allOf", []):
            schema = merged(schema, self._resolved(part))
        return schema

    def _target(self, reference: str) -> Schema:
        found: Any = self._root
        for key in reference.removeprefix("#").split("/")[1:]:
            found = found[key.replace("~1", "/").replace("~0", "~")]
        return found  # type: ignore[no-any-return]

    def _choice(self, schema: dict[str, Any], draft: Any, name: str) -> Any:
        written = draft if draft is not MISSING else self._author(name, schema)
        return written if written in schema["enum"] else schema["enum"][0]

    def _branch(
        self, schema: dict[str, Any], branches: list[Schema], draft: Any, name: str, depth: int
    ) -> Any:
        rest = {key: part for key, part in schema.items() if key not in {"anyOf", "oneOf"}}
        whole = [merged(rest, self._resolved(branch)) for branch in branches]
        simple = depth > DEEPEST
        ordered = sorted(whole, key=lambda branch: self._distance(branch, draft, simple))
        made = (self.value(branch, draft, name, depth + 1) for branch in ordered)
        return next((value for value in made if self._valid(value, schema)), None)

    def _distance(self, branch: dict[str, Any], draft: Any, simple: bool) -> int:
        kind = kind_of(branch, draft)
        if draft is not MISSING:
            return 0 if is_kind(draft, kind) and self._keys_match(branch, draft) else 1
        return int(kind in {"object", "array"}) if simple else int(kind == "null")

    def _keys_match(self, branch: dict[str, Any], draft: Any) -> bool:
        if not isinstance(draft, dict) or "properties" not in branch:
            return True
        constants = ((k, self._resolved(p)) for k, p in branch["properties"].items())
        return all(draft.get(k) == p["const"] for k, p in constants if "const" in p and k in draft)

    def _valid(self, value: Any, schema: dict[str, Any]) -> bool:
        definitions = self._root if isinstance(self._root, dict) else {}
        shared = {key: definitions[key] for key in ("$defs", "definitions") if key in definitions}
        return jsonschema.Draft202012Validator(shared | schema).is_valid(value)

    def _null(self, *_: Any) -> None:
        return None

    def _boolean(self, _schema: dict[str, Any], draft: Any, *_: Any) -> bool:
        return draft is True

    def _integer(self, schema: dict[str, Any], draft: Any, *_: Any) -> int:
        return int(bounded(schema, 0 if draft is MISSING else int(draft), whole=True))

    def _number(self, schema: dict[str, Any], draft: Any, *_: Any) -> float:
        return bounded(schema, 0 if draft is MISSING else draft, whole=False)

    def _string(self, schema: dict[str, Any], draft: Any, name: str, _depth: int) -> str:
        return spelled(schema, name if draft is MISSING else draft)

    def _array(self, schema: dict[str, Any], draft: Any, name: str, depth: int) -> list[Any]:
        drafts = [MISSING] * FEW if draft is MISSING else list(draft)
        drafts = [] if draft is MISSING and depth > DEEPEST else drafts
        fixed, rest = schema.get("prefixItems", []), schema.get("items", True)
        least = schema.get("minItems", 0)
        most = schema.get("maxItems", max(least, len(drafts), len(fixed)))
        if rest is False:
            most = min(most, len(fixed))
        elif not schema.get("items") and draft is MISSING:
            most = max(least, len(fixed))
        drafts = (drafts + [MISSING] * max(least, len(fixed)))[
            : max(least, min(most, len(drafts)), min(most, len(fixed)))
        ]
        parts = [*fixed, *[rest] * len(drafts)]
        made = [self.value(p, d, name, depth + 1) for p, d in zip(parts, drafts, strict=False)]
        return distinct(made, least) if schema.get("uniqueItems") else made

    def _object(self, schema: dict[str, Any], draft: Any, _name: str, depth: int) -> dict[str, Any]:
        given = {} if draft is MISSING else draft
        required = schema.get("required", [])
        properties = schema.get("properties", {})
        wanted = [
            key
            for key in dict.fromkeys([*properties, *required])
            if key in required or key in given or depth <= DEEPEST
        ]
        extra = schema.get("additionalProperties", True)
        made = {
            key: self.value(properties.get(key, extra), given.get(key, MISSING), key, depth + 1)
            for key in wanted
        }
        return made | self._extra(schema, given, made, depth)

    def _extra(
        self, schema: dict[str, Any], given: dict[str, Any], made: dict[str, Any], depth: int
    ) -> dict[str, Any]:
        extra = schema.get("additionalProperties", True)
        if extra is False:
            return {}
        kept = {} if "properties" in schema else {k: v for k, v in given.items() if k not in made}
        short = schema.get("minProperties", 0) - len(made) - len(kept)
        names = [*kept, *(f"item_{n}" for n in range(1, short + 1))]
        return {key: self.value(extra, kept.get(key, MISSING), key, depth + 1) for key in names}


KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def is_kind(value: Any, kind: str) -> bool:
    """Tell whether a value is of a JSON type."""
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, KINDS[kind])


def kind_of(schema: dict[str, Any], draft: Any) -> str:
    """Return the JSON type to make: the draft's if the schema allows it, else its first."""
    allowed = schema.get("type")
    if allowed is None:
        guesses = {
            "properties": "object",
            "items": "array",
            "prefixItems": "array",
            "required": "object",
        }
        allowed = [guesses[key] for key in guesses if key in schema] or list(
            ["string"] if draft is MISSING else KINDS
        )
    kinds: list[str] = [allowed] if isinstance(allowed, str) else list(allowed)
    fitting = [kind for kind in kinds if draft is not MISSING and is_kind(draft, kind)]
    return next(iter([*fitting, *(kind for kind in kinds if kind != "null")]), "null")


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that both parts hold for, as far as objects and limits go."""
    both = one | other
    both["properties"] = one.get("properties", {}) | other.get("properties", {})
    both["required"] = [*one.get("required", []), *other.get("required", [])]
    return {k: v for k, v in both.items() if v or k not in {"properties", "required"}}


def bounded(schema: dict[str, Any], value: float, whole: bool) -> float:
    """Return the number nearest to a value that keeps within the limits."""
    step = schema.get("multipleOf") or (1 if whole else 0)
    nudge = step or 1e-6
    low, high = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema:
        low = max(x for x in (low, schema["exclusiveMinimum"] + nudge) if x is not None)
    if "exclusiveMaximum" in schema:
        high = min(x for x in (high, schema["exclusiveMaximum"] - nudge) if x is not None)
    value = value if low is None else max(value, low)
    value = value if high is None else min(value, high)
    if not step:
        return value
    steps = value // step
    return steps * step if low is None or steps * step >= low else (steps + 1) * step


FORMATS = {
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "email": "name@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
    "hostname": "example.org",
}


def spelled(schema: dict[str, Any], text: str) -> str:
    """Return a text as near to the given one as length, format and pattern allow."""
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    text = text if most is None or len(text) <= most else text[:most].rstrip() or text[:most]
    text = text if len(text) >= least else text.ljust(least, ".")
    pattern = schema.get("pattern")
    if pattern is None or re.search(pattern, text):
        return text
    slug = "-".join(re.findall(r"[a-z0-9]+", text.lower())) or "a"
    tries = (
        text,
        slug,
        *re.findall(r"\w+", text),
        *(rstr.Rstr(Seeded(n)).xeger(pattern) for n in range(20)),
    )
    fine = (t for t in tries if re.search(pattern, t) and least <= len(t) <= (most or len(t)))
    return next(fine, text)


def distinct(items: list[Any], least: int) -> list[Any]:
    """Return items without repeats, marking the repeats that are needed to have enough."""
    made: list[Any] = []
    for n, item in enumerate(items):
        if item not in made:
            made.append(item)
        elif len(made) < least:
            made.append(f"{item} {n + 1}" if isinstance(item, str) else n)
    return made
