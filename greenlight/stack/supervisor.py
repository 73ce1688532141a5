"""The stack: everything Greenlight needs on one machine, as child processes that are kept alive."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from greenlight.stack import temporal_server as temporal
from greenlight.stack.home import Addresses, Home
from greenlight.stack.layout import Layout, read_settings
from greenlight.stack.processes import Child, StackError
from store.postgres.migrate import migrate

FIRST_DELAY, LONGEST_DELAY = 0.2, 10.0
SETTLED_SECONDS = 30.0
NEWS_SECONDS = 2.0

Say = Callable[[str], None]


class Stack:
    """A stack for as long as an `async with` block lasts; `addresses` says where it answers."""

    longest_delay = LONGEST_DELAY
    """Seconds between the end of a process that keeps failing and its next start."""

    def __init__(
        self, home: Path, say: Say, *, library: Path | None = None, pace: float = 0.0
    ) -> None:
        self._say = say
        here = Home(home)
        self._layout = Layout(here, read_settings(), library or self._remembered(here), pace)
        self._children: dict[str, Child] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._ui: asyncio.Server | None = None
        self._undo = contextlib.AsyncExitStack()

    @property
    def addresses(self) -> Addresses:
        """Return where everything answers; a process that was started again has a new id."""
        return self._layout.addresses({name: c.pid for name, c in self._children.items()})

    async def __aenter__(self) -> Self:
        """Start everything at once, and return when all of it answers."""
        async with contextlib.AsyncExitStack() as undo:
            undo.enter_context(self._layout.home.held())
            undo.push_async_callback(self._stop)
            await self._start()
            await self._start_crew_worker()
            self._layout.home.remember(self._layout.library)
            self._layout.home.note(self.addresses)
            self._undo = undo.pop_all()
        self._keepers = [asyncio.create_task(self._keep(c)) for c in self._children.values()]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop everything."""
        try:
            if self._layout.library and not await self._has_unfinished():
                self._layout.home.remember(None)
        finally:
            await self._undo.aclose()

    def _remembered(self, home: Home) -> Path | None:
        library = home.library()
        if library is None:
            return None
        if not library.is_dir():
            self._say(f"runs here were begun with the library {library}, which is gone")
            return None
        self._say(f"searching {library} again: runs here were begun with it")
        return library

    async def _has_unfinished(self) -> bool:
        """Tell whether a run goes on at the next start; in doubt one does."""
        try:
            connecting = psycopg.AsyncConnection.connect(self._layout.database, connect_timeout=2)
            async with await connecting as database:
                found = await database.execute("SELECT 1 FROM runs WHERE ended_at IS NULL LIMIT 1")
                return await found.fetchone() is not None
        except psycopg.Error:
            return True

    async def _start(self) -> None:
        parts = {
            "database": self._start_database(),
            "temporal": self._start_temporal(),
            "worker": self._start_worker(),
            "gateway": self._start_gateway(),
            "offline services": self._start_offline(),
        }
        try:
            async with asyncio.TaskGroup() as group:
                await self._tell([group.create_task(p, name=name) for name, p in parts.items()])
        except ExceptionGroup as several:
            raise several.exceptions[0] from None

    async def _tell(self, parts: Sequence[asyncio.Task[None]]) -> None:
        """Say which parts are still starting, whenever that has changed after a while."""
        told: list[str] = []
        while waiting := (await asyncio.wait(parts, timeout=NEWS_SECONDS))[1]:
            names = [part.get_name() for part in parts if part in waiting]
            if names != told:
                self._say(f"still starting: {', '.join(names)}")
            told = names

    async def _start_offline(self) -> None:
        if self._layout.offline:
            services = self._layout.offline_services()
            await self._begin(services, lambda: services.said('{"model": '))

    async def _start_database(self) -> None:
        if cluster := self._layout.cluster:
            await asyncio.to_thread(cluster.create)
            port = self._layout.ports["postgres"]
            server = self._layout.postgres_server(cluster)
            await self._begin(server, lambda: cluster.prepare(port))
        try:
            await migrate(self._layout.database)
        except psycopg.Error as error:
            raise StackError(f"the database cannot be used: {error}") from error

    async def _start_temporal(self) -> None:
        told = self._layout.environment
        if self._layout.has_own_temporal:
            await self._begin(self._layout.temporal_server(), lambda: temporal.serves(told))
            self._ui = await self._layout.temporal_ui()
            return
        try:
            await temporal.serves(told)
        except ConnectionError as error:
            raise StackError(f"Temporal cannot be reached: {error}") from error

    async def _start_worker(self) -> None:
        worker = self._layout.worker()
        await self._begin(worker, lambda: worker.said('{"worker": "ready"}'))

    async def _start_gateway(self) -> None:
        gateway = self._layout.gateway()
        await self._begin(gateway, lambda: gateway.said('{"gateway": "ready"}'))

    async def _start_crew_worker(self) -> None:
        """Start it last and wait for nothing: CrewAI takes seconds to load, and few runs need it."""
        await self._launch(self._layout.crew_worker())

    async def _begin(self, child: Child, probe: Callable[[], Awaitable[object]]) -> None:
        await self._launch(child)
        await child.until_ready(probe)

    async def _launch(self, child: Child) -> None:
        self._children[child.name] = child
        child.log.unlink(missing_ok=True)
        await child.start()

    async def _keep(self, child: Child) -> None:
        """Start a process again whenever it ends; the pause grows while it keeps failing."""
        clock, delay = asyncio.get_running_loop().time, FIRST_DELAY
        while True:
            started = clock()
            code = await child.ended()
            if clock() - started > SETTLED_SECONDS:
                delay = FIRST_DELAY
            self._say(f"{child.name} ended ({code}); starting it again, see {child.log}")
            await asyncio.sleep(delay)
            await self._again(child)
            delay = min(delay * 2, self.longest_delay)

    async def _again(self, child: Child) -> None:
        """Start a process that has ended, also on a disk or machine that is full for now."""
        try:
            await child.start()
            self._layout.home.note(self.addresses)
        except OSError as error:
            self._say(f"starting {child.name}: {error}")

    async def _stop(self) -> None:
        """Stop everything, what others use last."""
        if self._ui:
            self._ui.close()
        for keeper in self._keepers:
            keeper.cancel()
        for names in (("gateway", "worker", "crew-worker"), ("offline", "temporal"), ("postgres",)):
            stopping = (self._children[name].stop() for name in names if name in self._children)
            await asyncio.gather(*stopping)
