"""Documents of collections: parsed once, changed in the time of the changes, deleted without residue."""

import asyncio
from dataclasses import replace
from time import monotonic

import pytest
from temporalio.testing import ActivityEnvironment

from activities.parsing.document import Parsed, Unreadable
from contracts.access.principal import Principal
from contracts.collections import IndexRequest
from contracts.documents import READER_VERSION
from contracts.errors import Conflict, NotFound, StoreUnavailable
from contracts.evidence.read_failures import describe_failure
from contracts.notices import Notice
from store.collections.documents import MAX_ATTEMPTS
from store.collections.queue import BROKEN
from tests.activities.collections.conftest import ANA, Shelf
from tests.activities.collections.formats import make_documents
from tests.activities.web.files import slow
from tests.support.databases import fetch_as_owner
from tests.support.words import en

BEN = Principal(tenant_id="acme", user_id="ben")


@pytest.mark.parametrize("count", [32, pytest.param(200, marks=pytest.mark.full)])
async def test_documents_of_every_format_are_indexed_changed_and_deleted(
    shelf: Shelf, count: int
) -> None:
    before = await shelf.count()
    collection = await shelf.collections.make(ANA, "every format")
    given = list(make_documents(count))
    for name, body, _ in given:
        assert await shelf.add(collection, name, body)
    began = monotonic()
    assert await shelf.index() == count
    whole = monotonic() - began
    found = await shelf.list_documents("every format")
    assert {d.error for d in found.values() if d.status != "indexed"} == set()
    for name, _, word in given[:: max(count // 20, 1)]:
        [first, *_] = await shelf.find(collection, f"price of the {word} pump")
        source = (
            await shelf.collections.get_sources(ANA.tenant_id, [first.document_id])
        ).popitem()[1]
        assert source.file_name == f"every format/{name}"
        assert word in first.passages[0].text
    for name, body, _ in given:  # unchanged documents cost nothing
        assert not await shelf.add(collection, name, body)
    assert await shelf.index() == 0
    for name, body, _ in [g for g in given if g[0].endswith((".md", ".txt"))][:4]:
        assert await shelf.add(collection, name, body + b"\nIt sells in Ghana.\n")
    began = monotonic()
    assert await shelf.index() == 4
    assert monotonic() - began < max(whole / 3, 1)
    assert len(await shelf.find(collection, "Ghana", 10)) == 4
    await shelf.collections.delete(ANA, "every format")
    await shelf.documents.delete_loose_blobs(ANA.tenant_id)
    assert await shelf.count() == before


async def test_the_same_bytes_are_parsed_once_for_a_user(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = [await shelf.collections.make(ANA, name) for name in ("one", "two")]
    other = await shelf.collections.make(BEN, "one")
    parsed: list[bytes] = []
    read = shelf.indexing._parser.read

    async def counted(body: bytes, media_type: str, tenant: str) -> object:
        parsed.append(body)
        return await read(body, media_type, tenant=tenant)

    monkeypatch.setattr(shelf.indexing._parser, "read", counted)
    for collection, name in ((one, "a.md"), (two, "copy.md"), (one, "c.md"), (other, "a.md")):
        await shelf.add(collection, name, b"# Pumps\n\nThey sell.")
        await shelf.index()
    assert len(parsed) == 2, "once for each user"
    copies = await shelf.list_documents("two")
    assert (copies["copy.md"].title, copies["copy.md"].status) == ("Pumps", "indexed")
    await shelf.collections.delete(ANA, "one")
    await shelf.documents.delete_loose_blobs(ANA.tenant_id)
    [found] = await shelf.find(two, "pumps")
    source = (await shelf.collections.get_sources("acme", [found.document_id])).popitem()[1]
    assert b"They sell" in await shelf.blobs.get("acme", source.text_key)
    await shelf.collections.delete(ANA, "two")
    await shelf.collections.delete(BEN, "one")


async def test_what_a_dead_worker_had_begun_is_read_again_and_a_killer_gives_up(
    shelf: Shelf,
) -> None:
    collection = await shelf.collections.make(ANA, "killers")
    await shelf.add(collection, "a.md", b"Pumps sell.")
    for _ in range(MAX_ATTEMPTS):
        assert await shelf.queue.begin("acme")
        await shelf.queue.resume("acme")
    found = await shelf.list_documents("killers")
    assert (found["a.md"].status, found["a.md"].failure) == ("failed", BROKEN)
    assert found["a.md"].error == en("failure.worker_died")
    assert await shelf.add(collection, "a.md", b"Pumps sell."), "a failed one may be tried again"
    assert await shelf.queue.begin("acme")
    assert await shelf.index() == 1
    assert (await shelf.list_documents("killers"))["a.md"].status == "indexed"
    await shelf.collections.delete(ANA, "killers")


async def test_an_interrupted_reading_waits_again_and_loses_no_attempt(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = await shelf.collections.make(ANA, "outage")
    await shelf.add(collection, "a.md", b"Pumps sell.")

    async def away(*_: object) -> bytes:
        raise StoreUnavailable(Notice.of("blob-unread", reason="away"))

    for _ in range(MAX_ATTEMPTS + 1):
        with monkeypatch.context() as outage:
            outage.setattr(shelf.blobs, "get", away)
            with pytest.raises(StoreUnavailable):
                await shelf.index()
    assert (await shelf.list_documents("outage"))["a.md"].status == "waiting"
    assert await shelf.index() == 1
    await shelf.collections.delete(ANA, "outage")


async def test_a_document_that_is_taken_as_its_turn_is_cancelled_waits_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = await shelf.collections.make(ANA, "cancelled")
    await shelf.add(collection, "a.md", b"Pumps sell.")
    begin, taken = shelf.indexing._queue.begin, asyncio.Event()

    async def answer_late(tenant: str) -> object:
        document = await begin(tenant)
        taken.set()
        await asyncio.sleep(0.2)
        return document

    monkeypatch.setattr(shelf.indexing._queue, "begin", answer_late)
    turn = asyncio.create_task(shelf.index())
    await taken.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert (await shelf.list_documents("cancelled"))["a.md"].status == "waiting"
    monkeypatch.undo()
    assert await shelf.index() == 1
    await shelf.collections.delete(ANA, "cancelled")


async def test_a_document_that_is_deleted_while_it_is_read_leaves_nothing(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await shelf.count()
    collection = await shelf.collections.make(ANA, "moving")
    await shelf.add(collection, "a.md", b"# Pumps\n\nThey sell.")
    run = shelf.indexing._run

    async def late(*given: object, **about: object) -> object:
        await shelf.collections.delete(ANA, "moving")
        return await run(*given, **about)  # type: ignore[arg-type]

    monkeypatch.setattr(shelf.indexing, "_run", late)
    assert await shelf.index() == 1
    await shelf.documents.delete_loose_blobs("acme")
    assert await shelf.count() == before
    with pytest.raises(NotFound):
        await shelf.add(collection, "b.md", b"Pumps sell.")
    await shelf.documents.delete_loose_blobs("acme")
    assert await shelf.count() == before


async def test_collections_of_a_tenant_take_turns_and_a_turn_ends(shelf: Shelf) -> None:
    large, small = [await shelf.collections.make(ANA, name) for name in ("large", "small")]
    for n in range(6):
        await shelf.add(large, f"{n}.md", f"Pumps sell {n}.".encode())
    for n in range(2):
        await shelf.add(small, f"{n}.md", f"Pumps rest {n}.".encode())
    order = []
    while document := await shelf.queue.begin("acme"):
        order.append(document.collection)
    assert order[:4] in (["large", "small"] * 2, ["small", "large"] * 2)
    await shelf.queue.resume("acme")
    request = IndexRequest(tenant_id="acme")
    turn = await ActivityEnvironment().run(shelf.reader(turn_seconds=0).index, request)
    assert (turn.read, turn.left) == (0, True)
    await shelf.index()
    for name in ("large", "small"):
        await shelf.collections.delete(ANA, name)


async def test_a_document_that_takes_too_long_fails_by_name_and_the_next_is_read(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = await shelf.collections.make(ANA, "slow")
    await shelf.add(collection, "a.pdf", slow())
    with monkeypatch.context() as brief:
        brief.setattr(shelf.indexing._parser, "_max_seconds", 0.01)
        await shelf.index()
    await shelf.add(collection, "b.md", b"Pumps sell.")
    await shelf.index()
    found = await shelf.list_documents("slow")
    assert found["a.pdf"].failure == describe_failure("time", most=0.01)
    assert found["a.pdf"].error == en("failure.time", most="0.01")
    assert found["b.md"].status == "indexed"
    await shelf.collections.delete(ANA, "slow")


async def test_the_sweep_reads_what_still_waits_and_deletes_what_was_left(shelf: Shelf) -> None:
    before = await shelf.count()
    collection = await shelf.collections.make(ANA, "left")
    await shelf.add(collection, "a.md", b"Pumps sell.")
    await shelf.queue.hold("acme", f"doc-lost/{'0' * 64}")
    await shelf.blobs.put("acme", "doc-lost", b"written by a gateway that died")
    shelf.asked.clear()
    await shelf.documents.sweep()
    assert "acme" in shelf.asked
    await fetch_as_owner(shelf.pool, "UPDATE loose_blobs SET since = now() - interval '11 minutes'")
    await shelf.collections.delete(ANA, "left")
    await shelf.documents.sweep()
    found = await shelf.count()
    assert found["loose_blobs"] == 0
    assert found["files"] == before["files"] + 1, "the hash of that blob is another"


async def test_quotas_count_over_all_collections_of_a_user(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.collections.documents.MAX_DOCUMENTS", 3)
    for name in ("one", "two"):
        await shelf.collections.make(ANA, name)
    ids = {name: await shelf.collections.find(ANA, name) for name in ("one", "two")}
    adding = [shelf.add(ids[n], f"{k}.md", f"{k}".encode()) for n in ids for k in range(3)]
    came = await asyncio.gather(*adding, return_exceptions=True)
    assert sum(isinstance(each, Conflict) for each in came) == 3
    mine = await shelf.collections.make(BEN, "mine")
    assert await shelf.add(mine, "a.md", b"Pumps sell.")
    for name in ids:
        await shelf.collections.delete(ANA, name)
    await shelf.collections.delete(BEN, "mine")


async def test_what_an_older_reader_read_is_read_again_and_searched_meanwhile(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await shelf.count()
    collection = await shelf.collections.make(ANA, "old")
    await shelf.add(collection, "a.md", b"# Pumps\n\nThey sell in Kenya.")
    await shelf.add(collection, "b.md", b"# Pipes\n\nThey leak.")
    await shelf.add(collection, "c.pdf", b"%PDF-1.7 broken")
    await shelf.index()
    whole = await shelf.count()
    for module in ("queue", "documents"):
        newer_version = READER_VERSION + 1
        monkeypatch.setattr(f"store.collections.{module}.READER_VERSION", newer_version)
    found = await shelf.collections.get(ANA, "old")
    assert (found.indexed, found.failed, found.outdated, found.unread) == (2, 1, 3, 0)
    assert "acme" in await shelf.queue.list_tenants()
    read = shelf.indexing._parser.read

    async def newer(body: bytes, media_type: str, tenant: str) -> Parsed:
        assert await shelf.find(collection, "Kenya"), "what the older reader read is searched"
        parsed = await read(body, media_type, tenant=tenant)
        if "leak" in parsed.text:
            raise Unreadable("crashed")
        return replace(parsed, text=f"{parsed.text}\n\nAnd in Ghana, in Kenya's west.")

    monkeypatch.setattr(shelf.indexing._parser, "read", newer)
    assert await shelf.index() == 3
    states = [d.status for d in (await shelf.list_documents("old")).values()]
    assert states == ["indexed", "indexed", "failed"]
    for word in ("Ghana", "leak"):  # the second document stays as the older reader read it
        assert len(await shelf.find(collection, word)) == 1
    assert ((await shelf.collections.get(ANA, "old")).outdated, await shelf.index()) == (0, 0)
    await shelf.documents.delete_loose_blobs("acme")
    assert await shelf.count() == whole, "the older text is gone"
    await shelf.collections.delete(ANA, "old")
    await shelf.documents.delete_loose_blobs("acme")
    assert await shelf.count() == before
