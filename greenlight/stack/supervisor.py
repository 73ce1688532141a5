"""Supervisor of a stack: starts every process, restarts one that ends, stops them all."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

import psycopg
from temporalio.client import Client

from activities.late_packages import logger as install_logger
from greenlight.cli import DEFAULT_PACE
from greenlight.errors import CommandError
from greenlight.stack.home import Addresses, Home
from greenlight.stack.host_guard import guard_host
from greenlight.stack.layout import KEPT_PORTS, UNGUARDED_UI, Layout, load_settings
from greenlight.stack.processes import Child, Probe
from settings import Settings
from store.postgres.database import has_live_runs

MIN_RESTART_SECONDS, MAX_RESTART_SECONDS = 0.2, 10.0
STABLE_SECONDS = 30.0
REPORT_SECONDS = 2.0
RELAY_SECONDS = 0.5
INSTALLING = ("gateway", "worker", "crew-worker")
"""Processes that install packages when they are first used."""
INSTALL_LOGGER = f'"logger": "{install_logger.name}"'

Notify = Callable[[str], None]
Prepare = Callable[[str, str, Settings], Awaitable[None]]


def _load_preparation() -> Prepare:
    """Import the database preparation while the processes start, because it loads every contract."""
    from greenlight.stack.database import prepare_database

    return prepare_database


class Stack:
    """A stack that runs for the time of an `async with` block."""

    max_restart_seconds = MAX_RESTART_SECONDS
    """Longest pause before a failing process is restarted."""

    def __init__(
        self, home: Path, notify: Notify, *, library: Path | None = None, pace: float | None = 0.0
    ) -> None:
        self._notify = notify
        stack_home, settings = Home(home), load_settings()
        self._layout = Layout(
            stack_home,
            settings,
            library or self._load_library(stack_home) or settings.greenlight_library_folder,
            DEFAULT_PACE if pace is None else pace,
        )
        self._children: dict[str, Child] = {}
        self._supervisors: list[asyncio.Task[None]] = []
        self._ui: asyncio.Server | None = None
        self._resources = contextlib.AsyncExitStack()

    @property
    def addresses(self) -> Addresses:
        """Addresses and process ids; a restarted process has a new id."""
        return self._layout.addresses({name: c.pid for name, c in self._children.items()})

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables of workers and gateway, in addition to this process's."""
        return self._layout.environment

    async def __aenter__(self) -> Self:
        """Start all processes at once; return when all are ready."""
        async with contextlib.AsyncExitStack() as resources:
            resources.enter_context(self._layout.home.lock())
            resources.push_async_callback(self._stop)
            await self._start_services()
            # Last, and not waited for: CrewAI takes seconds to load, and few runs need it.
            await self._launch(self._layout.crew_worker())
            self._layout.home.save_library(self._layout.library)
            self._keep_ports()
            self._layout.home.publish(self.addresses)
            self._resources = resources.pop_all()
        followed = (c for name, c in self._children.items() if name in INSTALLING)
        self._supervisors = [
            *(asyncio.create_task(self._supervise(c)) for c in self._children.values()),
            *(asyncio.create_task(self._relay_installs(c)) for c in followed),
        ]
        return self

    def _keep_ports(self) -> None:
        """Save the ports of the first start; say so if another process has one of them now."""
        home, ports = self._layout.home, self._layout.ports
        for name in KEPT_PORTS:
            home.save_port(name, ports[name])
        if (kept := home.load_port("gateway")) != ports["gateway"]:
            self._notify(
                f"the page is at port {ports['gateway']} this time; bookmarks and share links of before name {kept}"
            )

    async def __aexit__(self, *exc: object) -> None:
        """Stop everything."""
        # These first: one that restarts a process publishes the addresses again.
        for supervisor in self._supervisors:
            supervisor.cancel()
        self._layout.home.withdraw()
        try:
            with contextlib.suppress(psycopg.Error):  # unreachable: runs may be unfinished
                if self._layout.library and not await has_live_runs(self._layout.database):
                    self._layout.home.save_library(None)
        finally:
            await self._resources.aclose()

    def _load_library(self, home: Home) -> Path | None:
        library = home.load_library()
        if library and library.is_dir():
            self._notify(f"searching {library} again: runs here were started with it")
            return library
        if library:
            self._notify(
                f"runs here were started with the library {library}, which no longer exists"
            )
        return None

    async def _start_services(self) -> None:
        """Start all but the crew worker; report which are still starting when that has changed."""
        services = self._layout.services()
        parts = {
            "database": self._start_database(),
            "temporal": self._start_temporal(),
            **{child.name: self._start_child(child) for child in services},
        }
        reported: list[str] = []
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(part, name=name) for name, part in parts.items()]
                while waiting := (await asyncio.wait(tasks, timeout=REPORT_SECONDS))[1]:
                    names = [task.get_name() for task in tasks if task in waiting]
                    if names != reported:
                        self._notify(f"still starting: {', '.join(names)}")
                    reported = names
        except ExceptionGroup as several:
            raise several.exceptions[0] from None

    async def _start_database(self) -> None:
        prepare, _ = await asyncio.gather(
            asyncio.to_thread(_load_preparation), self._start_cluster()
        )
        layout = self._layout
        await prepare(layout.database_owner, layout.database, layout.settings)

    async def _start_cluster(self) -> None:
        if cluster := self._layout.cluster:
            await asyncio.to_thread(cluster.initialize)
            port = self._layout.ports["postgres"]
            server = cluster.make_server(port, self._layout.home.log("postgres"))
            await self._start_child(server, lambda: cluster.create_database(port))

    async def _start_temporal(self) -> None:
        if self._layout.has_own_temporal:
            await self._start_child(self._layout.temporal_server(), self._connect_to_temporal)
            ports = self._layout.ports
            self._ui = await guard_host(ports["temporal_ui"], ports[UNGUARDED_UI])
            return
        try:
            await self._connect_to_temporal()
        except RuntimeError as error:
            raise CommandError(f"Temporal is unreachable: {error}") from error

    async def _connect_to_temporal(self) -> None:
        await Client.connect(**self._layout.temporal)

    async def _start_child(self, child: Child, probe: Probe | None = None) -> None:
        await self._launch(child)
        await child.wait_until_ready(probe)

    async def _launch(self, child: Child) -> None:
        self._children[child.name] = child
        child.log.unlink(missing_ok=True)
        await child.start()

    async def _supervise(self, child: Child) -> None:
        """Restart a process whenever it ends; the pause doubles while it keeps failing."""
        clock, delay = asyncio.get_running_loop().time, MIN_RESTART_SECONDS
        while True:
            started = clock()
            code = await child.wait()
            if clock() - started > STABLE_SECONDS:
                delay = MIN_RESTART_SECONDS
            self._notify(f"{child.name} ended ({code}); starting it again, see {child.log}")
            await asyncio.sleep(delay)
            try:
                await child.start()
                self._layout.home.publish(self.addresses)
            except OSError as error:  # such as a full disk
                self._notify(f"starting {child.name}: {error}")
            delay = min(delay * 2, self.max_restart_seconds)

    async def _relay_installs(self, child: Child) -> None:
        """Show what a process logs of the packages that it installs when they are first used."""
        with child.log.open(encoding="utf-8", errors="replace") as log:
            while True:
                place = log.tell()
                if not (line := log.readline()).endswith("\n"):
                    log.seek(place)  # it is not whole yet
                    await asyncio.sleep(RELAY_SECONDS)
                elif INSTALL_LOGGER in line:
                    self._notify(json.loads(line)["message"])

    async def _stop(self) -> None:
        """Stop everything, services before their dependencies."""
        if self._ui:
            self._ui.close()
        for names in (("gateway", "worker", "crew-worker"), ("offline", "temporal"), ("postgres",)):
            stopping = (self._children[name].stop() for name in names if name in self._children)
            await asyncio.gather(*stopping)
