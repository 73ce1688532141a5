"""`schedules`: repeat an approved run at times of a zone's clock."""

from argparse import Namespace

from contracts.runs.schedules import Backfill, Schedule
from contracts.words import say
from greenlight.client import GatewayClient
from greenlight.terminal.commands.listings import print_rows
from greenlight.terminal.console import confirm
from greenlight.terminal.display import tables
from greenlight.terminal.stack_connection import open_gateway

PATH = "/v1/schedules"


def schedules(args: Namespace) -> int:
    """List, make, show, pause, resume, run, backfill or remove schedules."""
    with open_gateway(args) as gateway:
        match args.action:
            case "add":
                return _add(gateway, args)
            case "show":
                return _show(args, gateway.get(f"{PATH}/{args.id}"))
            case "pause" | "resume":
                body = {"paused": args.action == "pause"}
                answer = gateway.request("PUT", f"{PATH}/{args.id}/pause", json=body)
                return _show(args, answer.json())
            case "trigger":
                gateway.request("POST", f"{PATH}/{args.id}/trigger")
                print(say("en", "cli-schedule-triggered"))
                return 0
            case "backfill":
                return _backfill(gateway, args)
            case "remove":
                gateway.request("DELETE", f"{PATH}/{args.id}")
                print(say("en", "cli-schedule-removed"))
                return 0
            case _:
                rows = gateway.get(PATH)["items"]
                return print_rows(args, rows, tables.draw_schedules, say("en", "cli-no-schedules"))


def _add(gateway: GatewayClient, args: Namespace) -> int:
    body = {
        "from_run": args.run,
        "time": args.at,
        "time_zone": args.zone,
        "overlap": args.overlap,
        "name": args.name,
        "probe": not args.always,
    }
    body |= {"weekdays": args.days.split(",")} if args.days else {}
    body |= {"budget": args.budget} if args.budget else {}
    return _show(args, gateway.request("POST", PATH, json=body).json())


def _show(args: Namespace, found: tables.Row) -> int:
    """Print a schedule: its state, its next times, its newest runs."""
    shown = Schedule.model_validate(found)
    note = f" ({shown.note})" if shown.note else ""
    lines = [f"{shown.id}: {shown.state}{note}, {shown.query}"]
    lines += [f"  {say('en', 'cli-schedule-next', at=at)}" for at in shown.next_at[:3]]
    lines += [f"  {say('en', 'cli-schedule-run', run=each.run_id)}" for each in shown.recent]
    if shown.skipped:
        lines.append(f"  {say('en', 'cli-schedule-skipped', n=shown.skipped)}")
    print("\n".join(lines))
    return 0


def _backfill(gateway: GatewayClient, args: Namespace) -> int:
    """Start runs of the past; a person is asked before, since each costs."""
    path, body = f"{PATH}/{args.id}/backfill", {"start_at": args.start, "end_at": args.end}
    answer = gateway.request("POST", path, json=body, params={"dry_run": True})
    due = Backfill.model_validate(answer.json())
    if not due.runs:
        print(say("en", "cli-backfill-none"))
        return 0
    most = {"most": due.most_usd} if due.most_usd else {}
    if not (args.yes or confirm(say("en", "cli-backfill-ask", n=due.runs, **most))):
        return 0
    gateway.request("POST", path, json=body)
    print(say("en", "cli-backfill-started", n=due.runs))
    return 0
