"""A relay between a port of 127.0.0.1 and a socket in a folder, which works without a network.

`python relay.py PORT SOCKET` listens on the port; `listen_on_socket` on the socket. The standard library only.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def relay_to(connect: Callable[[], Awaitable[Streams]]) -> Callable[..., Awaitable[None]]:
    """Return what serves a connection: it connects further, and passes on both directions."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await connect()
        await asyncio.gather(pump(reader, back), pump(there, writer), return_exceptions=True)

    return serve


@asynccontextmanager
async def listen_on_socket(path: Path, port: int) -> AsyncIterator[None]:
    """Have a service on a port of this machine answer on a socket, too."""
    serve = relay_to(lambda: asyncio.open_connection("127.0.0.1", port))
    async with await asyncio.start_unix_server(serve, path):
        yield


async def listen_on_port(port: int, path: str) -> None:
    """Listen until this process ends."""
    serve = relay_to(lambda: asyncio.open_unix_connection(path))
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(listen_on_port(int(sys.argv[1]), sys.argv[2]))
