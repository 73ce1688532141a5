"""A stack whose connections to PostgreSQL, Temporal and the providers can be cut."""

import asyncio
import contextlib
import os
import resource
import signal
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Self

from greenlight.stack.processes import Child
from tests.chaos.fragile_stack import ForkingLayout, FragileStack, stopped
from tests.chaos.seeded.links import Link
from tests.chaos.seeded.schedule import LINKED
from tests.support.offline_services import eventually


@dataclass(frozen=True)
class LinkedLayout(ForkingLayout):
    """A layout whose environment contains the links' ports instead of the linked processes' ports."""

    links: dict[str, Link] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables of workers and gateway, in addition to the parent's."""
        environment = super().environment
        for name, link in self.links.items():
            own, linked = f":{self.ports[name]}", f":{link.port}"
            environment = {key: text.replace(own, linked) for key, text in environment.items()}
        return environment

    def services(self) -> list[Child]:
        """Make worker, gateway and the offline services, which are asked by the link's port, too."""
        children = super().services()
        offline = next(child for child in children if child.name == "offline")
        offline.argv = [*offline.argv, "--linked-port", str(self.links["offline"].port)]
        return children


class LinkedStack(FragileStack):
    """A fragile stack with links; faults of one process come after each other."""

    _layout: LinkedLayout
    layout_class = LinkedLayout

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._busy = defaultdict[str, asyncio.Lock](asyncio.Lock)

    @property
    def links(self) -> dict[str, Link]:
        """The links by the names of the processes that they lead to."""
        return self._layout.links

    async def __aenter__(self) -> Self:
        """Start the links, then the processes."""
        for name in LINKED:
            link = Link(self._layout.ports[name])
            await link.start()
            self._layout.links[name] = link
        return await super().__aenter__()

    async def __aexit__(self, *exc: object) -> None:
        """Stop the processes, then the links."""
        await super().__aexit__(*exc)
        for link in self._layout.links.values():
            link.close()

    @contextlib.asynccontextmanager
    async def _striking(self, name: str) -> AsyncIterator[int]:
        """Yield the id of a running process, protected from other faults; its end is ignored."""
        async with self._busy[name]:
            await eventually(lambda: self._runs(name))
            with contextlib.suppress(ProcessLookupError):
                yield self._children[name].pid

    async def _runs(self, name: str) -> bool:
        process = self._children[name].process
        return process is not None and process.returncode is None

    async def kill_once(self, name: str) -> None:
        """Kill a process by SIGKILL."""
        async with self._striking(name) as pid:
            os.kill(pid, signal.SIGKILL)
            await self._children[name].wait()

    async def freeze(self, name: str, seconds: float) -> None:
        """Pause a process for some seconds."""
        async with self._striking(name) as pid:
            with stopped(pid):
                await asyncio.sleep(seconds)

    async def keep_away(self, name: str, seconds: float) -> None:
        """Have a process killed, and not started again before so long."""
        async with self._striking(name), self.without(name):
            await asyncio.sleep(seconds)

    async def fill_disk(self, name: str, seconds: float) -> None:
        """Have each write to a file by a process fail for so long, as on a full disk (with EFBIG in place of ENOSPC)."""
        async with self._striking(name) as pid:
            soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))
            try:
                await asyncio.sleep(seconds)
            finally:
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))
