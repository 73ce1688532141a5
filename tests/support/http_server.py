"""A web server for tests, in the loop of the tests."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn


class _Server(uvicorn.Server):
    """A server that leaves the signals of its process alone.

    pytest-asyncio runs each fixture and each test by a call of its own, for which asyncio sets and
    restores the handler of SIGINT. A server that lives across those calls and handles signals
    restores a handler that is no longer in force.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serve_http(
    config: uvicorn.Config, listener: socket.socket | None = None, *, force: bool = False
) -> AsyncIterator[int]:
    """Serve for as long as the block lasts; yield the port.

    Args:
        config: What is served; it names the port if no listener is given.
        listener: An open socket on which to serve.
        force: Cut open connections at the end instead of waiting for them.
    """
    server = _Server(config)
    running = asyncio.create_task(server.serve([listener] if listener else None))
    while not server.started:
        if running.done():
            await running
        await asyncio.sleep(0.005)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        server.force_exit = force
        await running
