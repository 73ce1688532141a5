"""`up` and `migrate`: run the stack until Ctrl-C; update a database's schema."""

import asyncio
import os
import re
import signal
import sys
import webbrowser
from argparse import Namespace
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from greenlight.bootstrap import COMMAND, IS_CLONE, notify
from greenlight.errors import CommandError
from greenlight.stack.home import Addresses, Home
from greenlight.stack.page import build_page
from greenlight.stack.supervisor import Stack

_IS_SECRET = re.compile("passw", re.IGNORECASE).search
"""Finds libpq's parameters that hold a password, such as `password` and `sslpassword`."""


def up(args: Namespace) -> int:
    """Run the stack until it is interrupted."""
    asyncio.run(_run_stack(args))
    return 0


async def _run_stack(args: Namespace) -> None:
    task = asyncio.current_task()
    assert task is not None
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(signum, task.cancel)
    home = Home.from_environment().path
    try:
        async with Stack(home, notify, library=args.library, pace=args.pace) as stack:
            addresses = stack.addresses
            line = hide_secrets(addresses).model_dump_json()
            print(line if args.json else format_addresses(addresses), flush=True)
            if args.browser and not args.json:
                await asyncio.to_thread(_open_page, addresses.gateway)
            async with asyncio.TaskGroup() as group:  # ends its tasks before the stack's
                if IS_CLONE:  # an installed Greenlight includes its page
                    group.create_task(_build_page(Home(home)))
                await asyncio.Event().wait()
    except asyncio.CancelledError:
        notify("stopped; runs go on at the next start")


async def _build_page(home: Home) -> None:
    """Build the page while the stack is running; everything else works without it."""
    try:
        await build_page(home)
    except (CommandError, OSError) as error:
        notify(str(error))


def _open_page(address: str) -> None:
    """Open the page where somebody sits before a screen."""
    has_screen = sys.platform == "darwin" or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    if sys.stdout.isatty() and has_screen:
        webbrowser.open(address)


def hide_secrets(addresses: Addresses) -> Addresses:
    """Return addresses without the database's password and the key to the offline services, which `stack.json` has."""
    offline = addresses.offline and {
        name: urlsplit(url)._replace(query="").geturl() for name, url in addresses.offline.items()
    }
    database = _drop_password(addresses.database)
    return addresses.model_copy(update={"database": database, "offline": offline})


def _drop_password(database: str) -> str:
    """Return the URL or key-value string of a database without passwords."""
    if "://" not in database:
        fields = conninfo_to_dict(database).items()
        return make_conninfo("", **{name: value for name, value in fields if not _IS_SECRET(name)})
    url = urlsplit(database)
    user, at, host = url.netloc.rpartition("@")
    query = [part for part in url.query.split("&") if not _IS_SECRET(part.partition("=")[0])]
    return url._replace(netloc=user.partition(":")[0] + at + host, query="&".join(query)).geturl()


def format_addresses(addresses: Addresses) -> str:
    """Return what a person is shown: all but the database's password."""
    is_offline = {"model", "search", "edgar"} <= set(addresses.offline or ())
    offline = "no provider is called and nothing is billed" if is_offline else ""
    lines = {
        "Gateway": addresses.gateway,
        "Temporal": addresses.temporal,
        "Temporal UI": addresses.temporal_ui,
        "Database": hide_secrets(addresses).database,
        "Offline": offline,
        "Library": addresses.library,
        "Home": addresses.home,
    }
    rows = [f"{name:<12} {value}" for name, value in lines.items() if value]
    if addresses.database != lines["Database"]:
        rows.append(f"{'Password':<12} of the database: in {addresses.home}/stack.json")
    ask = f'Ask: {addresses.gateway} or {COMMAND} run "..."   Stop: Ctrl-C'
    return "\n".join(["Greenlight is ready.", "", *rows, "", ask])
