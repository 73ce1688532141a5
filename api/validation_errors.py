"""Validation errors of a request as problems: JSON path and allowed values."""

from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import InvalidDefinition, InvalidInput
from contracts.phases.base import PhaseBase
from contracts.problems import MAX_PROBLEMS, Problem, explain_error, find_place
from contracts.tool_servers import ToolServers
from domain.graph import find_shape_problems
from workflows.phases import PHASES
from workflows.start.resolution import validate_definition

Schema = dict[str, Any]

MAX_PHASES = 1_000


def explain(error: RequestValidationError, request: Request, openapi: Schema) -> InvalidInput:
    """Describe what is wrong with a request by its OpenAPI schema, and for definitions also by their meaning."""
    operations = openapi["paths"].get(getattr(request.scope.get("route"), "path", ""), {})
    body = operations.get(request.method.lower(), {}).get("requestBody", {})
    schema: Schema = body.get("content", {}).get("application/json", {}).get("schema", {})
    errors = error.errors()
    problems = [_make_problem(e, schema, openapi) for e in errors[:MAX_PROBLEMS]]
    defines = "phases" in _resolve_reference(schema, openapi).get("properties", {})
    defines = defines and all(e["loc"][0] == "body" and e["type"] != "json_invalid" for e in errors)
    if defines:
        problems += _list_meaning_problems(error.body)
    kind = InvalidDefinition if defines else InvalidInput
    return kind(problems, unlisted=len(errors[MAX_PROBLEMS:]))


def _list_meaning_problems(body: Any) -> list[Problem]:
    """Return certain problems of a definition's meaning, assuming that its form were right.

    Malformed phases count with their kind's defaults, and only their ids are checked. If a phase has no valid
    kind, only ids are checked at all.
    """
    try:
        stated = [p if isinstance(p, dict) else {} for p in body["phases"][:MAX_PHASES]]
        bases = [
            PhaseBase(
                id=p.get("id") or p.get("kind") or f"phase-{i}",
                after=p.get("after"),
                bind=p.get("bind", {}),
            )
            for i, p in enumerate(stated)
        ]
    except (KeyError, TypeError, ValidationError):
        return []
    kinds = list(PHASES)  # any JSON can be looked up in a list
    if any(phase.get("kind") not in kinds for phase in stated):
        return find_shape_problems(Definition.model_construct(id="", phases=bases))  # type: ignore[arg-type]
    phases: list[Any] = []
    doubtful = set[str]()
    for i, (phase, base) in enumerate(zip(stated, bases, strict=True)):
        kind = PHASES[phase["kind"]].phase
        try:
            phases.append(kind.model_validate(phase))
        except ValidationError:
            phases.append(kind(**dict(base)))
            doubtful.add(f"phases[{i}]")
    definition = Definition.model_construct(id="", phases=phases, mcp=_read_servers(body))
    shape = find_shape_problems(definition)
    try:
        validate_definition(definition)
    except InvalidDefinition as invalid:
        sure = [p for p in invalid.found if p.path.partition(".")[0] not in doubtful]
        return [*shape, *(problem for problem in sure if problem not in shape)]
    except ValidationError:  # of servers that phases name and the rest does not grant
        return shape
    return []


def _read_servers(body: Json) -> ToolServers | None:
    try:
        return ToolServers.model_validate(body["mcp"])
    except (KeyError, ValidationError):
        return None


def _make_problem(error: ErrorDetails, schema: Schema, openapi: Schema) -> Problem:
    source, *loc = error["loc"]
    if error["type"] == "json_invalid":
        if loc[0]:
            return Problem.at("", "json-invalid-at", n=int(loc[0]))
        return Problem.at("", "json-invalid", reason=str(error["ctx"]["error"]))
    if source == "body" and not loc and error["type"] == "missing":
        return Problem.at("", "body-missing")
    inner: ErrorDetails = {**error, "loc": ()}
    if source != "body":
        return Problem.told(find_place(inner, ".".join(map(str, loc))), explain_error(error))
    path, parent = _walk_schema(loc, schema, openapi)
    if error["type"].startswith("union_tag_"):
        place = f"{path}.{error['ctx']['discriminator'].strip(chr(39))}"
        if "tag" not in error["ctx"]:
            return Problem.at(place, "value-tag-missing", allowed=list(PHASES))
        tag = str(error["ctx"]["tag"])
        return Problem.at(place, "value-tag-unknown", tag=tag, allowed=list(PHASES))
    if error["type"] == "extra_forbidden" and "properties" in parent:
        allowed = sorted(parent["properties"])
        return Problem.at(path, "value-unknown-field", allowed=allowed)
    return Problem.told(find_place(inner, path), explain_error(error))


def _walk_schema(loc: list[str | int], schema: Schema, openapi: Schema) -> tuple[str, Schema]:
    """Return the JSON path of a pydantic location and the schema of the object that contains it.

    Pydantic includes the tags of discriminated unions in locations; JSON paths do not.
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
