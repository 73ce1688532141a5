"""Start of a run from the command line: its request, and what the gateway refuses in our options."""

import sys
from argparse import Namespace
from http import HTTPStatus
from pathlib import Path
from typing import Any

from contracts.base import Json
from contracts.definitions import DEFAULT, PhaseOverride
from contracts.notices import tell_unread
from contracts.runs.request import NO_STARTUP, RunRequest
from domain.suggestions import suggest
from greenlight.client import GatewayClient, Refused
from greenlight.errors import UsageError
from greenlight.terminal.option_names import name_options
from greenlight.terminal.phase_names import resolve_phases


def start_run(gateway: GatewayClient, args: Namespace) -> str:
    """Start what the command line asks for; return the run's id."""
    question, definition, inputs = args.question, args.definition, dict(args.input)
    parent = gateway.find_run(args.from_run) if args.from_run else None
    if parent:
        before = gateway.get(f"/v1/runs/{parent}")
        question = question or before["query"]
        definition = definition or before["definition_id"]
        inputs = {**before["inputs"], **inputs}
    with name_options():
        resolve_phases(gateway, definition or DEFAULT, args)
        request = RunRequest.model_validate(
            {
                "query": question,
                "user_id": args.user,
                "inputs": inputs,
                "files": [_upload(gateway, path) for path in args.file],
                "collections": args.collection,
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
        body = request.model_dump(mode="json", exclude_defaults=True)
        return _post(gateway, definition or DEFAULT, body)


def _upload(gateway: GatewayClient, path: Path) -> str:
    """Return the id of a file once the gateway has read it; say which parts of it could not be read."""
    try:
        file = gateway.upload(path.name, path.read_bytes())
    except OSError as error:
        raise UsageError(f"--file: {path}: {error.strerror}") from error
    except Refused as refused:
        raise UsageError(f"--file: {path}: {refused}") from refused
    for part in file.unread:
        print(tell_unread(path.name, part).text, file=sys.stderr)
    return file.id


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
    """Start a run; a definition that there is not is refused with the nearest."""
    try:
        return gateway.start(f"/v1/workflows/{definition}/run", body)
    except Refused as refused:
        if refused.status is HTTPStatus.NOT_FOUND:
            known = [each["id"] for each in gateway.get("/v1/workflows")["items"]]
            if definition not in [DEFAULT, *known]:
                said = f"--definition: there is no {definition!r}; {suggest(definition, known)}"
                raise UsageError(said) from refused
        raise


def _collect_overrides(settings: list[tuple[str, str, object]]) -> dict[str, dict[str, Any]]:
    """Return by phase what `--set` changes: fields of the phase itself, or of its config."""
    overrides: dict[str, dict[str, Any]] = {}
    for phase, field, value in settings:
        override = overrides.setdefault(phase, {"config": {}})
        is_own = field in PhaseOverride.model_fields
        (override if is_own else override["config"])[field] = value
    return overrides
