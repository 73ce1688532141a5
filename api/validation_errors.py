"""What is wrong with a request's form, told by JSON path and by what is allowed there."""

from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from contracts.base import complaint
from contracts.definitions import Definition
from contracts.errors import Problem
from contracts.phase import PhaseBase
from domain.graph import shape_problems

Schema = dict[str, Any]

MOST_PHASES = 1_000


def problems_of(error: RequestValidationError, request: Request, openapi: Schema) -> list[Problem]:
    """Return a problem for each thing that does not fit the operation's OpenAPI schema."""
    schema = _body_schema(request, openapi)
    problems = [_problem(e, schema, openapi) for e in error.errors()]
    if "phases" in _follow(schema, openapi).get("properties", {}):
        problems += _order_problems(error.body)
    return problems


def _order_problems(body: Any) -> list[Problem]:
    """Return what is wrong with the order of a definition's phases, which is seen by ids alone.

    What else may be wrong with it hangs on the configs, and those are to be set right first.
    """
    try:
        phases = [
            PhaseBase(id=p.get("id") or p["kind"], after=p.get("after"), bind=p.get("bind", {}))
            for p in body["phases"][:MOST_PHASES]
        ]
    except (AttributeError, KeyError, TypeError, ValidationError):
        return []
    return shape_problems(Definition.model_construct(id="", phases=phases))  # type: ignore[arg-type]


def _problem(error: ErrorDetails, schema: Schema, openapi: Schema) -> Problem:
    where, *loc = error["loc"]
    if error["type"] == "json_invalid":
        return Problem(path="", message=f"not valid JSON at character {loc[0]}")
    message = complaint(error)
    if where != "body":
        return Problem(path=".".join(map(str, loc)), message=message)
    path, parent = _walk(loc, schema, openapi)
    if error["type"] == "extra_forbidden" and "properties" in parent:
        message = f"no such field; allowed are {', '.join(sorted(parent['properties']))}"
    return Problem(path=path, message=message)


def _body_schema(request: Request, openapi: Schema) -> Schema:
    operations = openapi["paths"].get(getattr(request.scope.get("route"), "path", ""), {})
    body = operations.get(request.method.lower(), {}).get("requestBody", {})
    schema: Schema = body.get("content", {}).get("application/json", {}).get("schema", {})
    return schema


def _walk(loc: list[str | int], schema: Schema, openapi: Schema) -> tuple[str, Schema]:
    """Return the JSON path of a pydantic location, and the schema of the value it lies in.

    Pydantic puts the tag of a discriminated union into the location; a path has no such part.
    """
    path, parent = "", schema
    for part in loc:
        schema = _follow(schema, openapi)
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


def _follow(schema: Schema | bool, openapi: Schema) -> Schema:
    """Follow a reference, or the one real branch of a nullable value."""
    if not isinstance(schema, dict):
        return {}
    if "$ref" in schema:
        found: Schema = openapi["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return found
    branches = [b for b in schema.get("anyOf", ()) if b.get("type") != "null"]
    return _follow(branches[0], openapi) if len(branches) == 1 else schema
