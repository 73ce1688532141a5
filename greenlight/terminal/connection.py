"""Finding the stack: the one that runs, or one of our own for as long as a command lasts."""

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
from anyio.from_thread import start_blocking_portal
from rich.console import Console

from greenlight.cli import DEFAULT_PACE
from greenlight.stack.home import Addresses, Home
from greenlight.terminal.client import Unreachable, Usage
from greenlight.terminal.display.progress import plural
from greenlight.terminal.prompts import keyboard as keys

PATIENCE = 5.0
UNREAD_SHOWN = 5
WRITE_TO = {"User-Agent": "greenlight terminal@localhost.localdomain"}
"""EDGAR, and what stands in for it, asks whom to write to."""
COMPANIES_SHOWN = 3
OWN_FILINGS = "your own: CIK##########.json, EDGAR's company facts, in --library DIR"
SAMPLE = (
    "sample library of country facts and companies' results (your own documents: --library DIR)"
)


@dataclass(frozen=True)
class Place:
    """Where a gateway answers, and whether it stays when we leave."""

    addresses: Addresses
    is_ours: bool = False

    @property
    def again(self) -> str:
        """Return the options that start this stack again, if it leaves with us."""
        library = self.addresses.library
        return f" --library {shlex.quote(library)}" if self.is_ours and library else ""

    def search(self) -> str:
        """Say what the agents search: of one's own documents how many, and which cannot be read."""
        offline = (self.addresses.offline or {}).get("search")
        if offline is None:
            return "Brave Search"
        return self._documents(offline) if self.addresses.library else SAMPLE

    def filings(self) -> str:
        """Say whose filings can be read."""
        offline = (self.addresses.offline or {}).get("search")
        if offline is None:
            return "SEC EDGAR"
        try:
            told = httpx.get(
                f"{offline}/files/company_tickers.json", headers=WRITE_TO, timeout=PATIENCE
            )
            listed = list(told.raise_for_status().json().values())
        except httpx.HTTPError:
            return "EDGAR's, as they lie here"
        named = [f"{each['title']} ({each['ticker']})" for each in listed[:COMPANIES_SHOWN]]
        more = len(listed) - len(named)
        named += [f"{more} more"] if more else []
        own = "" if self.addresses.library else f"; {OWN_FILINGS}"
        return f"{', '.join(named)}{own}"

    def _documents(self, offline: str) -> str:
        try:
            described = httpx.get(f"{offline}/library", timeout=PATIENCE).json()
        except httpx.HTTPError:  # it may be starting again; the run itself waits for it
            return f"your documents in {self.addresses.library}"
        lines = [f"{plural(described['documents'], 'document')} in {self.addresses.library}"]
        if not described["documents"]:
            lines[0] += ", so nothing can be found: put md, txt, html, pdf or docx files there"
        unread = [f"cannot be read: {name} ({why})" for name, why in described["warnings"].items()]
        more = [f"… and {len(unread) - UNREAD_SHOWN} more"] if len(unread) > UNREAD_SHOWN else []
        return "\n".join([*lines, *unread[:UNREAD_SHOWN], *more])


def required() -> Place:
    """Return the stack that runs, or say how to start one."""
    home = Home.of_environment()
    running = home.running()
    if running is None:
        raise Unreachable(f"No stack runs in {home.path}. Start one: python3 -m greenlight up")
    return Place(running)


@contextmanager
def stack(ui: Console, library: Path | None = None, pace: float = DEFAULT_PACE) -> Iterator[Place]:
    """Yield the stack that runs, or start one that stops at the end of the block."""
    home = Home.of_environment()
    running = home.running()
    if running is not None:
        _check(running, library)
        yield Place(running)
        return
    from greenlight.stack.supervisor import Stack  # heavy, and seldom needed here

    own = Stack(home.path, partial(_say, ui), library=library, pace=pace)
    with start_blocking_portal() as portal, ExitStack() as entered:
        if not ui.is_terminal:
            _say(ui, "starting the stack …")
        with keys.unheard(), ui.status("starting the stack …"):
            entered.enter_context(portal.wrap_async_context_manager(own))
        entered.callback(_say, ui, "stopping the stack …")
        yield Place(own.addresses, is_ours=True)


def _say(ui: Console, text: str) -> None:
    ui.print(f"  {text}", style="dim", markup=False)


def _check(running: Addresses, library: Path | None) -> None:
    """Refuse to search other documents than the stack that runs was started with."""
    if library is not None and str(library.expanduser().absolute()) != running.library:
        theirs = running.library or "the sample library"
        raise Usage(f"A stack already runs with {theirs}; stop it first, or leave out --library.")
