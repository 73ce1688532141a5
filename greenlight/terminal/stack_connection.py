"""Connection to the running stack, or to one started for the time of a command."""

import os
import shlex
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from anyio.from_thread import start_blocking_portal
from rich.console import Console

from contracts.media_types import SUFFIXES
from contracts.notices import Notice
from contracts.words import say
from greenlight.client import GatewayClient
from greenlight.errors import CommandError, Occupied, UsageError
from greenlight.stack.home import Addresses, Home
from greenlight.terminal.console import mute_keyboard, open_console
from greenlight.terminal.display.widgets import shorten
from greenlight.terminal.options import name_options

KEYS = {
    "ANTHROPIC_API_KEY": "model",
    "BRAVE_API_KEY": "search",
    "TAVILY_API_KEY": "search",
    "EXA_API_KEY": "search",
}
TIMEOUT_SECONDS = 5.0
UNREADABLE_SHOWN = 5
COMPANIES_SHOWN = 3
EDGAR_HEADERS = {"User-Agent": "greenlight terminal@localhost.localdomain"}
"""EDGAR, and the offline service in its place, require a mail address."""


@dataclass(frozen=True)
class StackConnection:
    """A stack's addresses; `is_own` if it stops with this command."""

    addresses: Addresses
    is_own: bool = False

    @property
    def restart_options(self) -> str:
        """Options that restart the command's own stack with the same library."""
        library = self.addresses.library
        return f" --library {shlex.quote(library)}" if self.is_own and library else ""

    def describe_search(self, place: Notice | None = None) -> Notice:
        """Describe what agents search; of a library, the number of documents and the unreadable.

        `place` is what the run's state names.
        """
        library = self.addresses.library
        if not library:
            is_offline = self._get_offline("search") is not None
            return (
                Notice.of("cli-search-sample")
                if is_offline
                else place or Notice.of("cli-search-web")
            )
        found: Any = None
        failed: list[Any] = []
        try:
            with GatewayClient(self.addresses.gateway) as gateway:
                folder = str(Path(library).resolve())
                mirrors = gateway.get("/v1/collections", folder=folder)["items"]
                found = next(iter(mirrors), None)
                path = f"/v1/collections/{quote(found['name'], safe='')}/documents" if found else ""
                failed = gateway.get(path, status="failed")["items"] if found else []
        except CommandError:  # it may be restarting; the run itself waits for it
            found = None
        if not found:
            return Notice.of("cli-search-folder", folder=library)
        told = [Notice.model_validate(each) for each in found.get("unlisted", [])]
        told += [Notice.of("cli-search-failed", name=f["name"], error=f["error"]) for f in failed]
        more = max(found["failed"] - len(failed), 0)  # the gateway lists a page of them
        lines = shorten([each.text for each in told], UNREADABLE_SHOWN, more)
        return Notice.of(
            "cli-search-documents",
            n=found["documents"],
            folder=library,
            unread=found["waiting"] + found["reading"] or None,
            suffixes=None if found["documents"] > found["failed"] else list(SUFFIXES),
            failed="\n".join(lines) or None,
        )

    def describe_filings(self) -> str:
        """Describe which companies' filings can be read."""
        edgar = self._get_offline("edgar")
        if edgar is None:
            return "SEC EDGAR"
        url = f"{edgar}/files/company_tickers_exchange.json"
        try:
            response = httpx.get(url, headers=EDGAR_HEADERS, timeout=TIMEOUT_SECONDS)
            companies = response.raise_for_status().json()["data"]
        except httpx.HTTPError:
            return say("en", "cli-filings-kept")
        names = [f"{name} ({ticker})" for _, name, ticker, _ in companies]
        own = {} if self.addresses.library else {"option": "--library DIR"}
        return say("en", "cli-filings", names=shorten(names, COMPANIES_SHOWN), **own)

    def _get_offline(self, service: str) -> str | None:
        """Return the URL of the offline service that replaces a provider, or None if the stack calls the provider."""
        return (self.addresses.offline or {}).get(service)


@contextmanager
def open_stack(
    console: Console, library: Path | None = None, pace: float | None = None
) -> Iterator[StackConnection]:
    """Yield the running stack, or start one, which stops once no command uses it."""
    home = Home.from_environment()
    with ExitStack() as entered:
        stack = None
        while stack is None:
            with suppress(Occupied):  # another command was faster: its stack is joined
                stack = _join_stack(console, home, library, pace, entered) or entered.enter_context(
                    _start_stack(console, home, library, pace)
                )
        yield stack


def _join_stack(
    console: Console, home: Home, library: Path | None, pace: float | None, entered: ExitStack
) -> StackConnection | None:
    """Return the running stack, if any, and keep it running until `entered` exits."""
    with ExitStack() as joined:
        with mute_keyboard(), console.status("looking for a stack …"):
            running = joined.enter_context(home.join())
        if running is None:
            return None
        if library is not None and str(library.expanduser().absolute()) != running.library:
            sample = Notice.of("cli-sample-library")
            raise UsageError.of("cli-stack-runs", library=running.library or sample)
        if pace is not None:
            _print_dim(console, say("en", "cli-pace-kept"))
        for key, part in _find_unused_keys(running):
            told = say("en", "cli-key-unused", key=key, part=part)
            console.print(f"  {told}", style="yellow", markup=False)
        entered.push(joined.pop_all())
    return StackConnection(running)


def _find_unused_keys(running: Addresses) -> list[tuple[str, str]]:
    """Return the keys that are set here but not in the running stack, each with the offline part."""
    offline = {*(running.offline or {})} - ({"search"} if running.library else set())
    return [(key, part) for key, part in KEYS.items() if part in offline and os.environ.get(key)]


@contextmanager
def _start_stack(
    console: Console, home: Home, library: Path | None, pace: float | None
) -> Iterator[StackConnection]:
    from greenlight.stack.supervisor import Stack  # heavy, and seldom needed here

    own = Stack(home.path, partial(_print_dim, console), library=library, pace=pace)
    with start_blocking_portal() as portal, ExitStack() as closed, ExitStack() as entered:
        starting = say("en", "cli-starting")
        if not console.is_terminal:
            _print_dim(console, starting)
        with mute_keyboard(), console.status(starting):
            entered.enter_context(portal.wrap_async_context_manager(own))
        entered.callback(_print_dim, console, "stopping the stack …")
        closing = home.close(partial(_print_dim, console, say("en", "cli-stack-shared")))
        entered.callback(closed.enter_context, closing)
        yield StackConnection(own.addresses, is_own=True)


@contextmanager
def open_gateway(args: Namespace) -> Iterator[GatewayClient]:
    """Yield a client of the stack's gateway; `args` get the whole ids of the runs they name."""
    stack = args.entered.enter_context(open_stack(open_console(stderr=True)))
    with GatewayClient(stack.addresses.gateway) as gateway, name_options():
        for name in {"run", "other"} & vars(args).keys():
            setattr(args, name, gateway.find_run(getattr(args, name)))
        yield gateway


def _print_dim(console: Console, text: str) -> None:
    console.print(f"  {text}", style="dim", markup=False)
