"""Start of a run from the command line: its request, and what the gateway refuses in our options."""

import re
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from contracts.base import Json, describe_error
from contracts.definitions import DEFAULT, PhaseOverride
from contracts.runs.request import NO_STARTUP, RunRequest
from domain.suggestions import suggest
from greenlight.client import GatewayClient, Refused
from greenlight.errors import UsageError

OPTIONS = {
    "query": "QUESTION",
    "user_id": "--user",
    "startup_id": "--startup",
    "budget": "--budget",
    "temp_workflow": "--temp",
    "only": "--only",
    "until": "--until",
    "redo": "--redo",
    "files": "--file",
    "from_run": "--from-run",
}
"""Command-line name of each field of a start."""


def start_run(gateway: GatewayClient, args: Namespace) -> str:
    """Start what the command line asks for; return the run's id."""
    question, definition, inputs = args.question, args.definition, dict(args.input)
    parent = gateway.find_run(args.from_run) if args.from_run else None
    if parent:
        before = gateway.get(f"/v1/runs/{parent}")
        question = question or before["query"]
        definition = definition or before["definition_id"]
        inputs = {**before["inputs"], **inputs}
    with _name_options():
        request = RunRequest.model_validate(
            {
                "query": question,
                "user_id": args.user,
                "inputs": inputs,
                "files": [_upload(gateway, path) for path in args.file],
                "startup_id": args.startup and _find_startup(gateway, args.startup, args.user),
                "save_startup": args.save_startup,
                "config_overrides": _collect_overrides(args.set),
                "only": args.only,
                "until": args.until,
                "from_run": parent,
                "redo": args.redo or [],
                "fresh": args.fresh,
                "batch": args.batch,
                "temp_workflow": args.temp,
                "budget": args.budget,
            }
        )
    return _post(
        gateway, definition or DEFAULT, request.model_dump(mode="json", exclude_defaults=True)
    )


def _upload(gateway: GatewayClient, path: Path) -> str:
    """Return the id of a file once the gateway has read it."""
    try:
        return gateway.upload(path.name, path.read_bytes())
    except OSError as error:
        raise UsageError(f"--file: {path}: {error.strerror}") from error
    except Refused as refused:
        raise UsageError(f"--file: {path}: {refused}") from refused


def _find_startup(gateway: GatewayClient, named: str, user: str) -> str:
    """Return the id of one of a user's startups, which its name or id names; `none` is none."""
    owner = user if user != RunRequest.model_fields["user_id"].default else None
    items = gateway.get("/v1/startups", user_id=owner)["items"]
    known = {startup["name"].casefold(): startup["id"] for startup in reversed(items)}
    if named in (NO_STARTUP, *known.values()):
        return named
    if (found := known.get(named.casefold())) is None:
        there = suggest(named, [NO_STARTUP, *(startup["name"] for startup in items)])
        raise UsageError(f"--startup: there is no {named!r}; {there}")
    return str(found)


def _post(gateway: GatewayClient, definition: str, body: Json) -> str:
    """Start a run; what is refused is said with the nearest definition, or in our options."""
    try:
        return gateway.start(f"/v1/workflows/{definition}/run", body)
    except Refused as refused:
        if refused.status is HTTPStatus.NOT_FOUND:
            known = [each["id"] for each in gateway.get("/v1/workflows")["items"]]
            if definition not in [DEFAULT, *known]:
                said = f"--definition: there is no {definition!r}; {suggest(definition, known)}"
                raise UsageError(said) from refused
        if refused.status is HTTPStatus.UNPROCESSABLE_ENTITY:
            raise UsageError(_name_fields(str(refused))) from refused
        raise


def _collect_overrides(settings: list[tuple[str, str, object]]) -> dict[str, dict[str, Any]]:
    """Return by phase what `--set` changes: fields of the phase itself, or of its config."""
    overrides: dict[str, dict[str, Any]] = {}
    for phase, field, value in settings:
        override = overrides.setdefault(phase, {"config": {}})
        is_own = field in PhaseOverride.model_fields
        (override if is_own else override["config"])[field] = value
    return overrides


@contextmanager
def _name_options() -> Iterator[None]:
    """Raise a UsageError that names the option of an invalid field."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(map(str, first["loc"]))
        raise UsageError(_name_fields(f"{path}: {describe_error(first)}")) from error


def _name_fields(text: str) -> str:
    """Return problems with our options in place of the request's fields."""
    text = re.sub(r"\bconfig_overrides\.([\w.-]+?)\.config\.", r"--set \1.", text)
    text = re.sub(r"\bconfig_overrides\.", "--set ", text)
    text = re.sub(r"\binputs\.([\w-]+): ", r"--input \1: ", text)
    text = text.replace("needs from_run", f"needs {OPTIONS['from_run']}")
    fields = "|".join(OPTIONS)
    return re.sub(rf"(^|; )({fields})(?=[:.\[])", lambda m: m[1] + OPTIONS[m[2]], text)
