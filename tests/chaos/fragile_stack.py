"""Fault injection: a stack whose processes can be killed, stopped, and kept from restarting."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from greenlight.stack.layout import Layout
from greenlight.stack.processes import Child
from greenlight.stack.supervisor import Stack
from tests.support.fork_server import INHERITED, ForkedChild


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[int]:
    """Pause a process with SIGSTOP during the block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGCONT)


class ForkingLayout(Layout):
    """A layout that forks its Python processes from one that has imported the product, if there is one."""

    def _make_child(self, *args: Any) -> Child:
        made = super()._make_child(*args)
        return ForkedChild(**vars(made)) if INHERITED in os.environ else made


class FragileStack(Stack):
    """A stack with fault injection: `kill` and `without` bypass its supervision, which restarts without limit."""

    max_restart_seconds = 0.2
    layout_class: type[Layout] = ForkingLayout

    def __init__(
        self,
        *args: Any,
        has_crews: bool = True,
        environment: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        given = {each.name: getattr(self._layout, each.name) for each in fields(Layout)}
        self._layout: Layout = self.layout_class(**given)
        self._has_crews = has_crews
        self._environment = environment or {}
        """Environment variables of its processes in addition to the tests' own."""
        self._times_ready_at_kill: dict[str, int] = {}

    def kill(self, name: str, signum: signal.Signals = signal.SIGKILL) -> None:
        """Send a process a signal; if it ends, the stack starts it again as usual."""
        self._times_ready_at_kill[name] = self._times_ready(name)
        os.kill(self._children[name].pid, signum)

    async def is_at_work(self, name: str) -> bool:
        """Return whether a process has logged "ready" since it was last killed."""
        return self._times_ready(name) > self._times_ready_at_kill.get(name, 0)

    def _times_ready(self, name: str) -> int:
        """Return how often a process has logged "ready" over all its starts."""
        told = self._children[name].log.read_text(encoding="utf-8", errors="replace")
        return told.count('"message": "ready"')

    async def _launch(self, child: Child) -> None:
        child.env = {**self._environment, **child.env}
        if self._has_crews or child.name != "crew-worker":
            await super()._launch(child)

    async def ready(self, name: str) -> None:
        """Wait until a process that nobody waits for says that it works."""
        child = self._children[name]
        await child.wait_until_ready()

    @contextlib.asynccontextmanager
    async def without(
        self, name: str, signum: signal.Signals = signal.SIGKILL
    ) -> AsyncIterator[Child]:
        """Have one process ended, and not started again before the block ends."""
        child = self._children[name]
        supervisor = self._supervisors[list(self._children).index(name)]
        supervisor.cancel()
        os.kill(child.pid, signum)
        await child.wait()
        try:
            yield child
        finally:
            await child.start()
            again = asyncio.create_task(self._supervise(child))
            self._supervisors[list(self._children).index(name)] = again

    @contextlib.asynccontextmanager
    async def worker_with(self, environment: Mapping[str, str]) -> AsyncIterator[None]:
        """Have a worker with more environment in the place of the worker: other settings without another stack."""
        other = self._layout.worker()
        other.env = {**other.env, **environment}
        async with self.without("worker"):
            other.log = other.log.with_name("other-worker.log")
            await other.start()
            try:
                await other.wait_until_ready()
                yield
            finally:
                await other.stop()

    @contextlib.asynccontextmanager
    async def second_worker(self, log: Path) -> AsyncIterator[Child]:
        """Have another worker at the same queue, in the same environment."""
        other = self._layout.worker()
        other.log = log
        await other.start()
        await other.wait_until_ready()
        try:
            yield other
        finally:
            await other.stop()
