"""A collection whose indexing is interrupted: all of its documents are indexed in the end."""

import contextlib
from collections.abc import AsyncIterator

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
async def amid_reading(whole: Whole) -> AsyncIterator[None]:
    """Have a collection read while the block begins, and see it read whole once the block has ended."""
    (await whole.http.post("/v1/collections", json={"name": NAME})).raise_for_status()
    try:
        for n in range(4):  # each takes a moment to read
            await put(whole, n, 12_000)
        before = (await whole.http.get(PLACE)).json()
        assert before["indexed"] < 4, "it is amid its work"
        yield
        for n in range(4, COUNT):
            await put(whole, n, 10)

        async def all_read() -> bool:
            return bool((await whole.http.get(PLACE)).json()["indexed"] == COUNT)

        assert await eventually(all_read, 90)
        listed = (await whole.http.get(f"{PLACE}/documents")).json()["items"]
        assert [each["status"] for each in listed] == ["indexed"] * COUNT
    finally:
        await whole.http.delete(PLACE)
