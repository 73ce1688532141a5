"""Commands that list stored objects, as tables or JSON."""

import json
from argparse import Namespace
from collections.abc import Callable, Sequence

from rich.console import RenderableType

from greenlight.terminal.console import open_console
from greenlight.terminal.display import tables
from greenlight.terminal.display.comparison import draw_comparison
from greenlight.terminal.stack_connection import open_gateway

Draw = Callable[[Sequence[tables.Row]], RenderableType]


def runs(args: Namespace) -> int:
    """List the runs, unfinished ones first."""
    with open_gateway(args) as gateway:
        rows = gateway.get("/v1/runs", limit=args.limit, status=args.status)["items"]
    return print_rows(args, rows, tables.RunList)


def sources(args: Namespace) -> int:
    """List the pages that a run has read, as its report numbers them."""
    with open_gateway(args) as gateway:
        rows = gateway.get(f"/v1/runs/{args.run}/sources")["items"]
    return print_rows(args, rows, tables.draw_sources)


def definitions(args: Namespace) -> int:
    """List the definitions, or one definition's phases with the fields that `--set` can change."""
    with open_gateway(args) as gateway:
        if args.id is None:
            return print_rows(args, gateway.get("/v1/workflows")["items"], tables.draw_definitions)
        phases = gateway.get(f"/v1/workflows/{args.id}")["phases"]
    return print_rows(args, phases, tables.draw_phases)


def spend(args: Namespace) -> int:
    """List the spend by day, definition and model, and the rest of the caller's budgets."""
    with open_gateway(args) as gateway:
        rows = gateway.get("/v1/spend", since=args.since, until=args.until)["items"]
        budgets = [] if args.json else gateway.get("/v1/budgets")["items"]
    code = print_rows(args, rows, tables.draw_spend)
    if budgets:
        open_console().print("", tables.draw_budgets(budgets))
    return code


def startups(args: Namespace) -> int:
    """List a user's startups, or forget one."""
    with open_gateway(args) as gateway:
        if args.delete:
            gateway.request("DELETE", f"/v1/startups/{args.delete}")
            print("Forgotten.")
            return 0
        rows = gateway.get("/v1/startups", user_id=args.user)["items"]
    return print_rows(args, rows, tables.draw_startups)


def compare(args: Namespace) -> int:
    """Print the differences of one run from another."""
    with open_gateway(args) as gateway:
        comparison = gateway.get(f"/v1/runs/{args.run}/compare/{args.other}")
    open_console().print(draw_comparison(comparison))
    return 0


def print_rows(
    args: Namespace, rows: Sequence[tables.Row], draw: Draw, empty: str = "nothing yet"
) -> int:
    """Print rows as JSON or a table, or a text if there are none."""
    if args.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        open_console().print(draw(rows) if rows else empty)
    return 0
