"""The worker is killed while it reads a collection: another goes on, and every document is read once."""

from tests.chaos.fragile_stack import FragileStack
from tests.offline_services import eventually
from tests.stack import Whole

NAME, COUNT = "long reports", 8
PLACE = f"/v1/collections/{NAME}"
BYTES = {"Content-Type": "application/octet-stream"}


async def put(whole: Whole, n: int, length: int) -> None:
    words = f"# Report {n}\n\n" + f"The pumps of place {n} sell well in this year. " * length
    answer = await whole.http.put(
        f"{PLACE}/documents", params={"name": f"{n}.md"}, content=words, headers=BYTES
    )
    assert answer.status_code == 202, answer.text


async def test_killed_while_it_reads_a_collection(whole: Whole, stack: FragileStack) -> None:
    (await whole.http.post("/v1/collections", json={"name": NAME})).raise_for_status()
    try:
        for n in range(4):  # each takes a moment to read
            await put(whole, n, 12_000)
        stack.kill("worker")
        before = (await whole.http.get(PLACE)).json()
        assert before["indexed"] < 4, "it was killed amid its work"
        for n in range(4, COUNT):
            await put(whole, n, 10)

        async def all_read() -> bool:
            return bool((await whole.http.get(PLACE)).json()["indexed"] == COUNT)

        assert await eventually(all_read, 90)
        listed = (await whole.http.get(f"{PLACE}/documents")).json()["items"]
        assert [each["status"] for each in listed] == ["indexed"] * COUNT
    finally:
        await whole.http.delete(PLACE)
