"""Removing a run: after any interruption, a repetition completes it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from activities.collections.storage import DocumentStorage
from activities.runs.run_removal import RemovalActivities, Remover, SweepRequest, SweepResult
from contracts.alerts import ChannelRef
from contracts.errors import Conflict, EngineUnavailable, NotFound, StoreUnavailable
from contracts.notices import Notice
from store.access.audit_log_reader import AuditRepository
from store.access.secret_encryption import TextCipher
from store.alerts import AlertRepository
from store.blobs import BlobStore
from store.collections.documents import CollectionRepository
from store.collections.queue import IndexQueue
from store.postgres.pool import Pool
from store.run_records.removals import RemovalRepository
from store.run_records.runs import RunRepository
from tests.store.samples import ME, batch, event, opened, source, started
from tests.support.words import pattern

Sweep = Callable[[SweepRequest], Awaitable[SweepResult]]
LAST = event("last", type="workflow_complete")


@dataclass
class Shelf:
    """What a server would keep of runs, and whether it answers."""

    indexed: list[str] = field(default_factory=list)
    woken: list[ChannelRef] = field(default_factory=list)

    held: set[str] = field(default_factory=set)
    away: bool = False
    slow: bool = False

    async def has(self, run_id: str) -> bool:
        return run_id in self.held

    async def start(self, tenant_id: str) -> bool:
        self.indexed.append(tenant_id)
        return not self.away

    async def wake(self, channels: Iterable[ChannelRef]) -> None:
        self.woken.extend(channels)

    async def delete(self, run_id: str) -> bool:
        if self.away:
            raise EngineUnavailable(Notice.of("engine-away"))
        if not self.slow:
            self.held.discard(run_id)
        return not self.slow


class Locked(BlobStore):
    """Fails to delete blobs named `stuck`, like a bucket with locked objects."""

    async def delete(self, tenant_id: str, keys: Iterable[str]) -> None:
        if any("stuck" in key for key in keys):
            raise StoreUnavailable(Notice.of("blob-unread", reason="locked"))
        await super().delete(tenant_id, keys)


@dataclass
class Archive:
    """Runs with a page each, and what removes them."""

    pool: Pool
    folder: Path
    shelf: Shelf = field(default_factory=Shelf)

    def __post_init__(self) -> None:
        self.runs, self.blobs = RunRepository(self.pool), BlobStore(self.folder.as_uri())
        removals = RemovalRepository(self.pool)
        self.remover = Remover(removals, self.blobs, self.shelf)  # type: ignore[arg-type]
        self.documents = DocumentStorage(
            CollectionRepository(self.pool),
            IndexQueue(self.pool),
            self.blobs,
            self.shelf,  # type: ignore[arg-type]
        )

    def sweep(self, remover: Remover | None = None, days: int = 1) -> Sweep:
        """Return the activity that removes expired data."""
        return RemovalActivities(
            remover or self.remover,
            timedelta(0),
            days,
            self.documents,
            AlertRepository(self.pool, TextCipher()),
            self.shelf,  # type: ignore[arg-type]
            AuditRepository(self.pool),
        ).sweep

    async def add(self, run_id: str, page: str = "", *, ends: bool = True, **given: str) -> str:
        """Keep a run and return the key of its page; `page` is one that it took over."""
        await self.runs.create(started(run_id, **given), opened())
        key = page or await self.blobs.put("default", run_id, b"a page")
        await self.blobs.put(BlobStore.PAYLOADS, run_id, b"a payload")
        read = source(1).model_copy(update={"text_key": key, "raw_key": key})
        last = {"status": "completed", "ended_at": "2020-03-01T11:00:00+00:00", "events": [LAST]}
        await self.runs.record(batch(run_id, 1, sources=[read], **(last if ends else {})))
        self.shelf.held.add(run_id)
        return key

    def files(self, run_id: str) -> list[Path]:
        return [path for path in self.folder.rglob("*") if run_id in path.parts]


@pytest.fixture
async def archive(database: str, tmp_path: Path) -> AsyncIterator[Archive]:
    async with Pool(database) as pool:
        yield Archive(pool, tmp_path)


async def test_removed_run_leaves_nothing(archive: Archive) -> None:
    await archive.add("whole")
    await archive.add("another")
    await archive.remover.remove(ME, "whole")
    assert not archive.files("whole")
    assert archive.shelf.held == {"another"}
    with pytest.raises(NotFound):
        await archive.remover.remove(ME, "whole")
    assert len(archive.files("another")) == 4, "two folders, two files"
    await archive.remover.remove(ME, "another")


async def test_interrupted_removal_is_completed_by_the_next(archive: Archive) -> None:
    await archive.add("cut")
    archive.shelf.away = True
    with pytest.raises(EngineUnavailable):
        await archive.remover.remove(ME, "cut")
    with pytest.raises(NotFound):
        await archive.runs.get(ME, "cut")
    assert archive.files("cut"), "whoever could still write one may not be gone"
    archive.shelf.away = False
    await archive.remover.remove(ME, "cut")
    assert not archive.files("cut")


async def test_execution_still_being_deleted_is_removed_by_a_later_sweep(archive: Archive) -> None:
    """A straggler of that execution may have kept one more payload by then."""
    await archive.add("slow")
    archive.shelf.slow = True
    assert not await archive.remover.remove(ME, "slow")
    assert not archive.files("slow")
    await archive.blobs.put(BlobStore.PAYLOADS, "slow", b"late")
    archive.shelf.slow = False
    assert await archive.remover.remove(ME, "slow")
    assert not archive.files("slow")


async def test_page_reused_by_another_run_stays_until_that_run_is_removed(
    archive: Archive,
) -> None:
    key = await archive.add("first")
    await archive.add("second", key, from_run="first")
    await archive.remover.remove(ME, "first")
    assert await archive.blobs.get("default", key) == b"a page"
    await archive.remover.remove(ME, "second")
    with pytest.raises(NotFound):
        await archive.blobs.get("default", key)


async def test_live_run_is_removed_only_if_temporal_has_lost_it(archive: Archive) -> None:
    await archive.add("going", ends=False)
    with pytest.raises(Conflict, match=pattern("run-live")):
        await archive.remover.remove(ME, "going")
    archive.shelf.held.clear()
    await archive.remover.remove(ME, "going")
    assert not archive.files("going")


async def test_sweep_removes_due_runs_despite_a_failure(archive: Archive) -> None:
    for name in ("due", "due-too"):
        await archive.add(name)
    swept = archive.sweep()
    archive.shelf.away = True
    first = await ActivityEnvironment().run(swept, SweepRequest())
    assert (first.removed, set(first.left)) == (0, {"due", "due-too"})
    archive.shelf.away = False
    await archive.add("later")
    one = await ActivityEnvironment().run(swept, SweepRequest(limit=1))
    assert (one.removed, one.left) == (1, [])
    for name in first.left:
        await archive.remover.remove(ME, name)


async def test_undeletable_blob_delays_no_other_run(archive: Archive) -> None:
    for name in ("stuck", "loose"):
        await archive.add(name)
    blobs = Locked(archive.folder.as_uri())
    remover = Remover(archive.remover.removals, blobs, archive.shelf)  # type: ignore[arg-type]
    swept = archive.sweep(remover)
    found = await ActivityEnvironment().run(swept, SweepRequest())
    assert (found.removed, found.left) == (1, ["stuck"])
    assert not archive.files("loose")


async def test_run_is_kept_by_default(archive: Archive) -> None:
    await archive.add("old")
    swept = archive.sweep(days=0)
    assert (await ActivityEnvironment().run(swept, SweepRequest())).removed == 0
    assert (await archive.runs.get(ME, "old")).status == "completed"
