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
from contracts.words import say
from domain.text_matching.suggestions import suggest
from greenlight.client import GatewayClient, Refused
from greenlight.errors import UsageError
from greenlight.terminal.options import name_options


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
        _resolve_titles(gateway, definition or DEFAULT, args)
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
                "depth": args.depth,
                "search": [n for name in args.search.split(",") if (n := name.strip())],
            }
        )
        body = request.model_dump(mode="json", exclude_defaults=True)
        return _post(gateway, definition or DEFAULT, body)


def _resolve_titles(gateway: GatewayClient, definition: str, args: Namespace) -> None:
    """Put ids in place of the titles that `args` name phases by; the gateway refuses other names."""
    if not (args.only or args.until or args.redo or args.set):
        return
    kinds = {each["kind"]: each["title"] for each in gateway.get("/v1/phases")["items"]}
    ids: dict[str, list[str]] = {}
    phases = _list_phases(gateway, definition)
    for phase in phases:
        coded = say("en", phase["title_code"]) if phase["title_code"] else kinds[phase["kind"]]
        ids.setdefault((phase["title"] or coded).casefold(), []).append(phase["id"])

    def find(typed: str) -> str:
        [named, *others] = ids.get(typed.casefold(), [typed])
        is_id = any(phase["id"] == typed for phase in phases)
        return typed if is_id or others else named

    args.only = args.only and [find(name) for name in args.only]
    args.until = args.until and find(args.until)
    args.redo = args.redo and [find(name) for name in args.redo]
    args.set = [(find(phase), *setting) for phase, *setting in args.set]


def _list_phases(gateway: GatewayClient, definition: str) -> list[dict[str, Any]]:
    """Return a definition's phases; empty if it does not exist."""
    try:
        return list(gateway.get(f"/v1/workflows/{definition}")["phases"])
    except Refused as refused:
        if refused.status is not HTTPStatus.NOT_FOUND:
            raise
        return []


def _upload(gateway: GatewayClient, path: Path) -> str:
    """Return the id of a file once the gateway has read it; say which parts of it could not be read."""
    try:
        file = gateway.upload(path.name, path.read_bytes())
    except OSError as error:
        reason = str(error.strerror)
        raise UsageError.of("cli-file", path=str(path), reason=reason) from error
    except Refused as refused:
        raise UsageError.of("cli-file", path=str(path), reason=str(refused)) from refused
    for part in file.unread:
        print(tell_unread(path.name, part).text, file=sys.stderr)
    return file.id


def _find_startup(gateway: GatewayClient, named: str, user: str) -> str:
    """Return the id of a user's startup by name or id; `none` stays as it is."""
    owner = user if user != RunRequest.model_fields["user_id"].default else None
    items = gateway.get("/v1/startups", user_id=owner)["items"]
    known = {startup["name"].casefold(): startup["id"] for startup in reversed(items)}
    if named in (NO_STARTUP, *known.values()):
        return named
    if (found := known.get(named.casefold())) is None:
        hint = suggest(named, [NO_STARTUP, *(startup["name"] for startup in items)])
        raise UsageError.of("cli-startup-unknown", name=named, hint=hint)
    return str(found)


def _post(gateway: GatewayClient, definition: str, body: Json) -> str:
    """Start a run; a definition that there is not is refused with the nearest."""
    try:
        return gateway.start(f"/v1/workflows/{definition}/run", body)
    except Refused as refused:
        if refused.status is HTTPStatus.NOT_FOUND:
            known = [each["id"] for each in gateway.get("/v1/workflows")["items"]]
            if definition not in [DEFAULT, *known]:
                hint = suggest(definition, known)
                raise UsageError.of(
                    "cli-definition-unknown", name=definition, hint=hint
                ) from refused
        raise


def _collect_overrides(settings: list[tuple[str, str, object]]) -> dict[str, dict[str, Any]]:
    """Return by phase what `--set` changes: fields of the phase itself, or of its config."""
    overrides: dict[str, dict[str, Any]] = {}
    for phase, field, value in settings:
        override = overrides.setdefault(phase, {"config": {}})
        is_own = field in PhaseOverride.model_fields
        (override if is_own else override["config"])[field] = value
    return overrides
