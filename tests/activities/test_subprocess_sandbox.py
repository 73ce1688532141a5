"""What a sandboxed subprocess may do, and what becomes of one that misbehaves."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import psutil
import pytest

from activities.confined.call_pool import CallPool
from activities.confined.subprocess_sandbox import MAX_REQUESTS, SandboxDied, SubprocessSandbox
from domain.retrieval.document_rows import split_rows
from tests.support.offline_services import eventually

ECHO = "tests.activities.sandboxed_echo"


@contextlib.asynccontextmanager
async def sandbox(size: int = 1, seconds: float = 10) -> AsyncIterator[SubprocessSandbox]:
    made = SubprocessSandbox(ECHO, size=size, seconds=seconds)
    yield made
    await made.close()
    assert subprocesses() == []


def subprocesses() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if ECHO in child.cmdline()]


async def test_requests_share_a_subprocess_without_environment() -> None:
    async with sandbox() as made:
        first = await made.run(b"pid")
        assert await made.run(b"pid") == first
        assert await made.run(b"environment") in {b"", b"LC_CTYPE"}
        assert await made.run(b"print") == b"printed"
        large = b"x" * 3_000_000
        assert await made.run(large) == large


async def test_subprocess_is_replaced_after_its_last_request() -> None:
    async with sandbox() as made:
        pids = {await made.run(b"pid") for _ in range(MAX_REQUESTS + 1)}
    assert len(pids) == 2


async def test_pool_starts_the_next_process_before_it_is_asked_again() -> None:
    pool = CallPool("domain.retrieval.document_rows", size=1)
    for _ in range(MAX_REQUESTS):
        await pool.run(split_rows, "a page", task="cutting a page")
    await eventually(_one_waits)
    await pool.close()


async def test_request_takes_the_first_subprocess_that_is_set_free_or_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with sandbox(size=2) as made:
        first = await made.run(b"pid")
        monkeypatch.setattr(made, "_start", asyncio.Event().wait)
        busy = asyncio.create_task(made.run(b"wait"))
        await asyncio.sleep(0)
        async with asyncio.timeout(60):
            assert await made.run(b"pid") == first
        assert await busy == b"wait"


async def test_at_most_so_many_subprocesses_run_at_once() -> None:
    async with sandbox(size=2) as made:
        await asyncio.gather(*(made.run(b"pid") for _ in range(8)))
        assert len(subprocesses()) == 2


@pytest.mark.parametrize("request_", [b"hang", pytest.param(b"work", marks=pytest.mark.full)])
async def test_request_that_takes_too_long_loses_its_subprocess_alone(request_: bytes) -> None:
    async with sandbox(seconds=0.5) as made:
        with pytest.raises(TimeoutError):
            await made.run(request_)
        assert subprocesses() == []
        assert await made.run(b"hello") == b"hello"


async def test_request_is_bounded_by_the_time_that_it_works_itself() -> None:
    """On a busy machine a document that can be read is read, however long others have the processor."""
    async with sandbox(seconds=0.5) as made:
        assert await made.run(b"wait") == b"wait"


async def test_cancelled_request_loses_its_subprocess() -> None:
    async with sandbox() as made:
        hanging = asyncio.create_task(made.run(b"hang"))
        await eventually(_one_runs)
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        assert subprocesses() == []


async def _one_waits() -> bool:
    found = psutil.Process().children()
    return any("domain.retrieval.document_rows" in child.cmdline() for child in found)


async def _one_runs() -> bool:
    return len(subprocesses()) == 1


@pytest.mark.parametrize("request_", [b"die", b"raise", b"fill memory", b"answer without end"])
async def test_subprocess_that_dies_is_replaced(request_: bytes) -> None:
    async with sandbox() as made:
        with pytest.raises(SandboxDied):
            await made.run(request_)
        assert await made.run(b"hello") == b"hello"


async def test_subprocess_that_died_while_idle_is_replaced() -> None:
    async with sandbox() as made:
        await made.run(b"hello")
        (idle,) = made._idle
        idle.kill()
        await idle.wait()
        assert await made.run(b"hello") == b"hello"


async def test_subprocess_ends_with_its_parent() -> None:
    """Its input pipe is closed by any end of the parent."""
    async with sandbox() as made:
        await made.run(b"hello")
        (process,) = made._idle
        assert process.stdin is not None
        process.stdin.close()
        assert await process.wait() == 0


async def test_owner_leaves_a_subprocess_to_the_others() -> None:
    async with sandbox(size=2, seconds=20) as made:
        hanging = [asyncio.create_task(made.run(b"hang", "one")) for _ in range(3)]
        await eventually(_one_runs)
        async with asyncio.timeout(60):
            assert await made.run(b"hello", "other") == b"hello"
        assert not any(task.done() for task in hanging)
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
