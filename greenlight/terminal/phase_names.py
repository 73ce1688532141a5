"""Names of a definition's phases: each is typed by its id, or by the title that the screen shows."""

from argparse import Namespace
from difflib import get_close_matches
from http import HTTPStatus
from typing import Any

from contracts.words import say
from greenlight.client import GatewayClient, Refused
from greenlight.errors import UsageError


def resolve_phases(gateway: GatewayClient, definition: str, args: Namespace) -> None:
    """Put ids in place of the titles that `args` name phases by.

    Raises:
        UsageError: there is no such phase, or several have that title.
    """
    if not (args.only or args.until or args.redo or args.set):
        return
    if (titles := _find_titles(gateway, definition)) is None:
        return

    def find(option: str, typed: str) -> str:
        return _find_phase(titles, option, typed)

    args.only = args.only and [find("--only", name) for name in args.only]
    args.until = args.until and find("--until", args.until)
    args.redo = args.redo and [find("--redo", name) for name in args.redo]
    args.set = [(find("--set", phase), *setting) for phase, *setting in args.set]


def _find_titles(gateway: GatewayClient, definition: str) -> dict[str, str] | None:
    """Return the title of each phase by its id; None if there is no such definition."""
    try:
        phases = gateway.get(f"/v1/workflows/{definition}")["phases"]
    except Refused as refused:
        if refused.status is not HTTPStatus.NOT_FOUND:
            raise
        return None
    kinds = {each["kind"]: each["title"] for each in gateway.get("/v1/phases")["items"]}
    return {phase["id"]: _name(phase) or kinds[phase["kind"]] for phase in phases}


def _name(phase: Any) -> str:
    """Return a phase's own title, or that of the catalogue; empty where its kind names it."""
    return phase["title"] or (say("en", phase["title_code"]) if phase["title_code"] else "")


def _find_phase(titles: dict[str, str], option: str, typed: str) -> str:
    if typed in titles:
        return typed
    wanted = typed.casefold()
    names = [(id, name.casefold()) for id, title in titles.items() for name in (id, title)]
    found = list(dict.fromkeys(id for id, name in names if name == wanted))
    if len(found) == 1:
        return found[0]
    told = {id: f"{id} ({title})" for id, title in titles.items()}
    if found:
        several = ", ".join(told[id] for id in found)
        raise UsageError(f"{option}: {typed!r} is the title of several phases: {several}")
    near = get_close_matches(wanted, [name for _, name in names], 1)
    meant = next((told[id] for id, name in names if [name] == near), None)
    there = f"did you mean {meant}?" if meant else f"there are {', '.join(told.values())}"
    raise UsageError(f"{option}: there is no phase {typed!r}; {there}")
