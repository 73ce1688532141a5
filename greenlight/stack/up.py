"""`up`: the stack until Ctrl-C."""

import asyncio
import signal
import sys
from argparse import Namespace

from greenlight.stack.home import Addresses, Home
from greenlight.stack.layout import read_settings
from greenlight.stack.supervisor import Stack
from store.postgres.database import migrate as apply_migrations


def up(args: Namespace) -> int:
    """Run the stack until somebody stops it."""
    return asyncio.run(_up(args))


def migrate(_: Namespace) -> int:
    """Bring a database of one's own up to date, as `up` does with its own."""
    asyncio.run(apply_migrations(read_settings().database_url))
    return 0


async def _up(args: Namespace) -> int:
    task = asyncio.current_task()
    assert task is not None
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(signum, task.cancel)
    home = Home.of_environment().path
    try:
        async with Stack(home, _say, library=args.library, pace=args.pace) as stack:
            print(stack.addresses.line() if args.json else _readable(stack.addresses), flush=True)
            await asyncio.Event().wait()
    except asyncio.CancelledError:
        _say("stopped; runs go on at the next start")
    return 0


def _readable(at: Addresses) -> str:
    is_offline = {"model", "search", "edgar"} <= set(at.offline or ())
    offline = "no provider is called and nothing is billed" if is_offline else ""
    lines = {
        "Gateway": at.gateway,
        "Temporal": at.temporal,
        "Temporal UI": at.temporal_ui,
        "Database": at.database,
        "Offline": offline,
        "Library": at.library,
        "Home": at.home,
    }
    shown = [f"{name:<12} {value}" for name, value in lines.items() if value]
    ask = 'Ask something: python3 -m greenlight run "..."   Stop: Ctrl-C'
    return "\n".join(["Greenlight is ready.", "", *shown, "", ask])


def _say(text: str) -> None:
    print(f"greenlight: {text}", file=sys.stderr, flush=True)
