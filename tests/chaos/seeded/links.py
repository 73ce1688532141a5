"""A TCP link on the loopback that can be cut: between a process and what it connects to."""

import asyncio
import contextlib

CHUNK_BYTES = 64 * 1024


class Link:
    """Forwards connections to a port; while it is cut, it resets those that are open and those that come."""

    def __init__(self, target_port: int) -> None:
        self.port = 0
        self._target_port = target_port
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._cuts = 0

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self, seconds: float) -> None:
        """Have no connection for so long."""
        self._cuts += 1
        self._reset()
        await asyncio.sleep(seconds)
        self._cuts -= 1

    def close(self) -> None:
        """Stop listening and reset open connections."""
        if self._server:
            self._server.close()
        self._reset()

    def _reset(self) -> None:
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cuts:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._open |= ends
        try:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            self._open -= ends


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy bytes until either side ends, then close the other."""
    with contextlib.suppress(OSError):
        while chunk := await reader.read(CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.close()
