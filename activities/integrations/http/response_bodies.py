"""Bodies of HTTP responses, which a reader may leave before their end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TypeVar

import httpx

END_SECONDS = 0.2
"""Time that a body has to end once its reader needs no more of it; only then can its connection be reused."""

T = TypeVar("T")


class ResponseTooLarge(ValueError):
    """A body is longer than its reader takes."""


@asynccontextmanager
async def exhausting(
    pieces: AsyncIterator[T], close: Callable[[], Awaitable[None]]
) -> AsyncIterator[AsyncIterator[T]]:
    """Run a block over the pieces of a body, then read the body to its end, or close it and end its generators.

    Every HTTP client nests generators over a body. Those left suspended would be closed by the garbage collector, in
    whichever thread it runs.
    """
    try:
        yield pieces
    except GeneratorExit:  # a generator over the pieces was closed
        await _read_end(pieces)
        raise
    else:
        await _read_end(pieces)
    finally:
        await close()
        await _exhaust(pieces)  # reading from a closed connection raises through all generators


def open_body(
    response: httpx.Response, *, raw: bool = False
) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
    """Open the pieces of a body, decompressed unless `raw`, for one block of reading."""
    pieces = response.aiter_raw() if raw else response.aiter_bytes()
    return exhausting(pieces, response.aclose)


async def read_body(response: httpx.Response, most_bytes: int, *, raw: bool = False) -> bytes:
    """Return a body, decompressed unless `raw`.

    Raises:
        ResponseTooLarge: It has more than `most_bytes`; the connection is closed.
    """
    body = bytearray()
    async with open_body(response, raw=raw) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > most_bytes:
                raise ResponseTooLarge
    return bytes(body)


async def _read_end(pieces: AsyncIterator[T]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            await _exhaust(pieces)


async def _exhaust(pieces: AsyncIterator[T]) -> None:
    with suppress(Exception):  # nobody reads these pieces
        async for _ in pieces:
            pass
