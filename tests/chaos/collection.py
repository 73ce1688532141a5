"""A collection whose indexing is interrupted: all of its documents are indexed in the end."""

import contextlib
import signal
from collections.abc import AsyncIterator

import psycopg

from tests.support.databases import as_owner
from tests.support.offline_services import eventually
from tests.support.stack import Whole

NAME, COUNT = "long reports", 8
PLACE = f"/v1/collections/{NAME}"
BYTES = {"Content-Type": "application/octet-stream"}


async def put(whole: Whole, n: int, length: int) -> None:
    words = f"# Report {n}\n\n" + f"The pumps of place {n} sell well in this year. " * length
    answer = await whole.http.put(
        f"{PLACE}/documents", params={"name": f"{n}.md"}, content=words, headers=BYTES
    )
    assert answer.status_code == 202, answer.text


@contextlib.asynccontextmanager
async def unstored_reading(whole: Whole) -> AsyncIterator[None]:
    """Put four documents, and have none of what is read of them stored before the block ends."""
    database = as_owner(whole.stack.addresses.database)
    async with await psycopg.AsyncConnection.connect(database) as connection:
        whole.stack.kill("worker", signal.SIGSTOP)
        try:
            for n in range(4):
                await put(whole, n, 12_000)
            await connection.execute("LOCK TABLE index_rows IN SHARE MODE")
        finally:
            whole.stack.kill("worker", signal.SIGCONT)
        yield


@contextlib.asynccontextmanager
async def amid_reading(whole: Whole) -> AsyncIterator[None]:
    """Have a collection read while the block lasts, and see it read whole once the block has ended."""
    (await whole.http.post("/v1/collections", json={"name": NAME})).raise_for_status()

    async def count(status: str) -> int:
        return int((await whole.http.get(PLACE)).json()[status])

    try:
        async with unstored_reading(whole):
            assert await eventually(lambda: count("reading"))
            yield
            assert await count("indexed") == 0, "it is amid its work, however slow the machine is"
        for n in range(4, COUNT):
            await put(whole, n, 10)

        async def all_read() -> bool:
            return await count("indexed") == COUNT

        assert await eventually(all_read, 90)
        listed = (await whole.http.get(f"{PLACE}/documents")).json()["items"]
        assert [each["status"] for each in listed] == ["indexed"] * COUNT
    finally:
        await whole.http.delete(PLACE)
