"""Validation errors of a request as problems: JSON path and allowed values."""

from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from contracts.base import describe_error
from contracts.definitions import Definition
from contracts.errors import MAX_PROBLEMS, Problem, limit_problems
from contracts.phases.base import PhaseBase
from domain.graph import find_shape_problems

Schema = dict[str, Any]

MAX_PHASES = 1_000


def list_problems(
    error: RequestValidationError, request: Request, openapi: Schema
) -> list[Problem]:
    """Return a problem for each mismatch with the operation's OpenAPI schema, up to 50."""
    operations = openapi["paths"].get(getattr(request.scope.get("route"), "path", ""), {})
    body = operations.get(request.method.lower(), {}).get("requestBody", {})
    schema: Schema = body.get("content", {}).get("application/json", {}).get("schema", {})
    errors = error.errors()
    problems = [_make_problem(e, schema, openapi) for e in errors[:MAX_PROBLEMS]]
    if "phases" in _resolve_reference(schema, openapi).get("properties", {}):
        problems += _list_order_problems(error.body)
    return limit_problems(problems, unlisted=len(errors[MAX_PROBLEMS:]))


def _list_order_problems(body: Any) -> list[Problem]:
    """Return the problems of a definition's graph, which needs valid ids and `after` alone.

    All other checks of a definition need valid configs.
    """
    try:
        phases = [
            PhaseBase(id=p.get("id") or p["kind"], after=p.get("after"), bind=p.get("bind", {}))
            for p in body["phases"][:MAX_PHASES]
        ]
    except (AttributeError, KeyError, TypeError, ValidationError):
        return []
    return find_shape_problems(Definition.model_construct(id="", phases=phases))  # type: ignore[arg-type]


def _make_problem(error: ErrorDetails, schema: Schema, openapi: Schema) -> Problem:
    source, *loc = error["loc"]
    if error["type"] == "json_invalid":
        return Problem(path="", message=f"not valid JSON at character {loc[0]}")
    message = describe_error(error)
    if source != "body":
        return Problem(path=".".join(map(str, loc)), message=message)
    path, parent = _walk_schema(loc, schema, openapi)
    if error["type"] == "extra_forbidden" and "properties" in parent:
        message = f"no such field; allowed are {', '.join(sorted(parent['properties']))}"
    return Problem(path=path, message=message)


def _walk_schema(loc: list[str | int], schema: Schema, openapi: Schema) -> tuple[str, Schema]:
    """Return the JSON path of a pydantic location and the schema of the object that contains it.

    Pydantic puts the tag of a discriminated union into the location; a JSON path has no such part.
    """
    path, parent = "", schema
    for part in loc:
        schema = _resolve_reference(schema, openapi)
        tags = schema.get("discriminator", {}).get("mapping", {})
        if part in tags:
            schema = {"$ref": tags[part]}
            continue
        parent = schema
        if isinstance(part, int):
            path += f"[{part}]"
            schema = schema.get("items", {})
        else:
            path += f".{part}"
            schema = schema.get("properties", {}).get(part) or schema.get(
                "additionalProperties", {}
            )
    return path.lstrip("."), parent


def _resolve_reference(schema: Schema | bool, openapi: Schema) -> Schema:
    """Resolve a `$ref`, or the only branch of a nullable value."""
    if not isinstance(schema, dict):
        return {}
    if "$ref" in schema:
        found: Schema = openapi["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return found
    branches = [b for b in schema.get("anyOf", ()) if b.get("type") != "null"]
    return _resolve_reference(branches[0], openapi) if len(branches) == 1 else schema
