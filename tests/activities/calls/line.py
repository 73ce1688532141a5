"""A line to PostgreSQL that can be cut and mended."""

import asyncio
import contextlib
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator


class Line:
    """Passes bytes to a port while it is whole; cut, it drops and refuses connections."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._whole = True
        self._ends: set[StreamWriter] = set()
        self.dsn = ""

    @classmethod
    @contextlib.asynccontextmanager
    async def to(cls, dsn: str) -> AsyncIterator["Line"]:
        """Lay a line to a database; `dsn` is where it begins."""
        found = re.search(r":(\d+)/", dsn)
        assert found
        line = cls(int(found[1]))
        server = await asyncio.start_server(line._connect, "127.0.0.1", 0)
        line.dsn = dsn.replace(found[0], f":{server.sockets[0].getsockname()[1]}/")
        yield line
        server.close()

    def cut(self) -> bool:
        """Break every connection; True if there was one."""
        self._whole = False
        for end in self._ends:
            end.transport.abort()
        return bool(self._ends)

    def mend(self) -> None:
        self._whole = True

    async def _connect(self, reader: StreamReader, writer: StreamWriter) -> None:
        if not self._whole:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._ends |= {writer, far_writer}
        await asyncio.gather(_pass_on(reader, far_writer), _pass_on(far_reader, writer))
        self._ends -= {writer, far_writer}


async def _pass_on(reader: StreamReader, writer: StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
