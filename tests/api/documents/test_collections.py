"""Collections of own documents: made, filled, read in the background, and deleted without residue."""

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from activities.collections.indexer import IndexActivities
from activities.collections.library import FolderMirror
from activities.collections.storage import DocumentStorage, NewDocument
from api.body_limits import BYTES, MAX_UPLOAD_BYTES
from contracts.access.principal import Principal
from contracts.evidence.read_failures import describe_failure
from contracts.notices import Notice
from contracts.problems import Problem
from settings import Settings
from store.collections.queue import IndexQueue, QueuedDocument
from temporal.side_workflows.indexing import Indexer
from tests.api.conftest import Site
from tests.support.databases import connect_as_owner
from tests.support.product.residue import places
from tests.support.words import phrase
from worker import MAX_INDEX_TURNS, build_index_worker


@pytest.fixture(scope="module")
def site(dev_site: Site) -> Site:
    return dev_site


V1 = "/v1/collections"


async def put(site: Site, collection: str, name: str, body: bytes | str) -> httpx.Response:
    """Return the answer to an upload, also for errors."""
    content = body.encode() if isinstance(body, str) else body
    return await site.http.put(
        f"{V1}/{quote(collection)}/documents",
        params={"name": name},
        content=content,
        headers={"Content-Type": BYTES},
    )


async def make(site: Site, name: str) -> dict[str, Any]:
    made = await site.post(V1, {"name": name})
    assert made.status_code == 201, made.text
    return dict(made.json())


async def until_read(site: Site, name: str) -> dict[str, Any]:
    """Return a collection once nothing of it waits."""
    async with asyncio.timeout(60):
        while True:
            found = (await site.get(f"{V1}/{quote(name)}")).json()
            if not found["waiting"] + found["reading"]:
                return dict(found)
            await asyncio.sleep(0.1)


async def documents(site: Site, name: str, **query: Any) -> dict[str, dict[str, Any]]:
    """Return the documents of a collection by name, over all pages of the list."""
    found: dict[str, dict[str, Any]] = {}
    cursor: str | None = ""
    while cursor is not None:
        page = (await site.get(f"{V1}/{quote(name)}/documents", cursor=cursor, **query)).json()
        found |= {item["name"]: item for item in page["items"]}
        cursor = page["next_cursor"]
    return found


async def count_rows(site: Site) -> dict[str, int]:
    """Return how many rows each table of collections has."""
    tables = ("collections", "collection_documents", "index_rows", "loose_blobs")
    async with connect_as_owner(site.database) as connection:
        found = {}
        for table in tables:
            row = await (await connection.execute(f"SELECT count(*) FROM {table}")).fetchone()
            found[table] = row[0] if row else 0
        return found


async def test_documents_are_read_in_the_background_and_listed_with_their_states(
    site: Site,
) -> None:
    made = await make(site, "Jahresberichte 2023")
    assert (made["documents"], made["is_folder"]) == (0, False)
    added = await put(site, "Jahresberichte 2023", "eu/pumps.md", "# Pumps\n\nThey sell in Kenya.")
    assert added.status_code == 202
    assert added.json()["status"] in {"waiting", "reading", "indexed"}
    broken = await put(site, "Jahresberichte 2023", "broken.pdf", "%PDF-1.7 broken")
    assert broken.status_code == 202
    found = await until_read(site, "Jahresberichte 2023")
    assert (found["documents"], found["indexed"], found["failed"]) == (2, 1, 1)
    listed = await documents(site, "Jahresberichte 2023", limit=1)
    failure = describe_failure("broken", format="pdf")
    assert Notice.model_validate(listed["broken.pdf"]["failure"]) == failure
    assert listed["broken.pdf"]["error"] == failure.text
    assert listed["eu/pumps.md"]["failure"] is None
    assert listed["eu/pumps.md"]["title"] == "Pumps"
    assert listed["eu/pumps.md"]["chars"] > 0
    assert (await documents(site, "Jahresberichte 2023", status="failed")).keys() == {"broken.pdf"}
    assert "Jahresberichte 2023" in [c["name"] for c in (await site.get(V1)).json()["items"]]
    await site.http.delete(f"{V1}/{quote('Jahresberichte 2023')}")


async def test_the_same_content_costs_nothing_and_another_replaces_it(site: Site) -> None:
    await make(site, "kept")
    assert (await put(site, "kept", "a.md", "Pumps sell.")).status_code == 202
    await until_read(site, "kept")
    before = await documents(site, "kept")
    same = await put(site, "kept", "a.md", "Pumps sell.")
    assert (same.status_code, same.json()) == (200, before["a.md"])
    assert (await put(site, "kept", "a.md", "Pumps do not sell here.")).status_code == 202
    await until_read(site, "kept")
    after = await documents(site, "kept")
    assert after.keys() == {"a.md"}
    assert after["a.md"]["content_hash"] != before["a.md"]["content_hash"]
    await site.http.delete(f"{V1}/kept")


async def test_deleted_documents_and_collections_leave_nothing(site: Site) -> None:
    """Rows and blobs are removed for documents that are indexed, waiting, failed, replaced or being read."""
    word, rows = "quillfeather", await count_rows(site)
    blobs = {path for path in site.folder.rglob("*") if path.is_file()}
    await make(site, "gone")
    for n in range(6):
        await put(site, "gone", f"{word}/{n}.md", f"# {word}\n\nPumps of {word} {n}.")
    await put(site, "gone", f"{word}/broken.pdf", f"%PDF-1.7 {word}")
    await until_read(site, "gone")
    await put(site, "gone", f"{word}/1.md", f"Another text of {word}.")
    assert (await site.http.delete(f"{V1}/gone/documents/{word}/0.md")).status_code == 204
    assert f"{word}/0.md" not in await documents(site, "gone")
    for n in range(6):
        await put(site, "gone", f"late-{n}.md", f"Late pumps of {word} {n}.")
    assert (await site.http.delete(f"{V1}/gone")).status_code == 204
    async with asyncio.timeout(60):
        while await count_rows(site) != rows:  # noqa: ASYNC110 - what is read right now goes last
            await asyncio.sleep(0.2)
    assert {path for path in site.folder.rglob("*") if path.is_file()} == blobs
    assert await places(word, site.database, site.folder, site.temporal) == set()


async def test_two_uploads_of_one_name_at_once_leave_one_of_them(site: Site) -> None:
    await make(site, "both")
    blobs = {path for path in site.folder.rglob("*") if path.is_file()}
    texts = [f"Version {n} of the pumps.\n" for n in range(4)]
    await asyncio.gather(*(put(site, "both", "a.md", text) for text in texts))
    await until_read(site, "both")
    assert (await documents(site, "both")).keys() == {"a.md"}
    new = {path for path in site.folder.rglob("*") if path.is_file()} - blobs
    assert len(new) == 2, "its bytes and its text"
    assert len({path.read_bytes() for path in new} & {text.encode() for text in texts}) == 1
    await site.http.delete(f"{V1}/both")


async def test_bad_names_kinds_and_sizes_are_refused_by_field(site: Site) -> None:
    for name in ("", "../x", "a/b", "folder:x", ".hidden", "x" * 81, "a\x00b"):
        refused = await site.post(V1, {"name": name})
        assert refused.status_code == 422, (name, refused.text)
        assert refused.json()["problems"][0]["path"] == "name"
    await make(site, "strict")
    for name in ("../a.md", "a/../../b.md", "/", "x" * 250 + ".md", "a\x07.md"):
        refused = await put(site, "strict", name, "Pumps.")
        assert refused.status_code == 422, (name, refused.text)
        assert refused.json()["problems"][0]["path"] == "name"
    empty = await put(site, "strict", "a.md", "")
    why = describe_failure("empty")
    problem = Problem.at("name", "document-unreadable", name="a.md", why=why)
    assert [Problem.model_validate(each) for each in empty.json()["problems"]] == [problem]
    large = await put(site, "strict", "a.md", b"x" * (MAX_UPLOAD_BYTES + 1))
    assert (large.status_code, large.json()["type"]) == (413, "body-too-large")
    typed = await site.http.put(f"{V1}/strict/documents", params={"name": "a.md"}, json={})
    assert typed.status_code == 415
    for method, path in (
        ("GET", f"{V1}/none"),
        ("DELETE", f"{V1}/none"),
        ("GET", f"{V1}/none/documents"),
        ("DELETE", f"{V1}/strict/documents/none.md"),
        ("DELETE", f"{V1}/strict/documents/../x"),
    ):
        answer = await site.http.request(method, path)
        assert answer.status_code == 404, (method, path, answer.text)
    assert (await put(site, "none", "a.md", "Pumps.")).status_code == 404
    await site.http.delete(f"{V1}/strict")


async def test_quotas_of_a_user_are_named_and_a_refused_document_leaves_no_blob(
    site: Site, monkeypatch: Any
) -> None:
    await make(site, "full")
    blobs = {path for path in site.folder.rglob("*") if path.is_file()}
    for quota, code in (("MAX_DOCUMENTS", "documents-many"), ("MAX_BYTES", "documents-large")):
        with monkeypatch.context() as small:
            small.setattr(f"store.collections.documents.{quota}", 0)
            refused = await put(site, "full", "a.md", "Pumps.")
            assert (refused.status_code, phrase(code) in refused.text) == (
                409,
                True,
            )
    with monkeypatch.context() as small:
        small.setattr("store.collections.documents.MAX_KEPT", 1)
        refused = await site.post(V1, {"name": "one more"})
        assert (refused.status_code, f"1 {phrase('collections-many')}" in refused.text) == (
            409,
            True,
        )
    await site.http.delete(f"{V1}/full")
    assert {path for path in site.folder.rglob("*") if path.is_file()} == blobs


async def test_a_mirrored_folder_is_changed_in_the_folder_alone(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    (folder / "a.md").write_text("# Plans\n\nPumps.\n")
    await FolderMirror(folder, site.services.documents).synchronise("default")
    found = await until_read(site, "plans")
    assert (found["is_folder"], found["indexed"]) == (True, 1)
    folder.rename(tmp_path / "away")
    await FolderMirror(folder, site.services.documents).synchronise("default")
    kept = (await site.get(f"{V1}/plans")).json()
    assert (kept["indexed"], [each["code"] for each in kept["unlisted"]]) == (
        1,
        ["folder-unlisted"],
    )
    refused = await put(site, "plans", "b.md", "More pumps.")
    assert (refused.status_code, phrase("collection-mirrors") in refused.text) == (409, True)
    gone = await site.http.delete(f"{V1}/plans/documents/a.md")
    assert (gone.status_code, phrase("collection-mirrors") in gone.text) == (409, True)
    assert (await site.http.delete(f"{V1}/plans")).status_code == 204


SLOW_SECONDS, SHORT_TURN_SECONDS = 0.1, 1
IN_A_TURN = MAX_INDEX_TURNS * (SHORT_TURN_SECONDS / SLOW_SECONDS + 1)
"""Documents that all turns begin together: each begins one more just before its time is over."""
"""The number of slow documents that a worker reads at most while one turn lasts."""


async def test_a_tenants_only_document_is_read_soon_while_five_others_fill_the_worker(
    site: Site,
) -> None:
    """There is one tenant more than a worker reads concurrently, each with more documents than a turn can read.

    The limit is a number of other tenants' documents, because a busy machine reads fewer in a turn.
    """
    begun: list[str] = []

    class Slow(IndexActivities):
        async def _index(self, document: QueuedDocument) -> None:
            begun.append(document.tenant_id)
            await asyncio.sleep(SLOW_SECONDS)
            await super()._index(document)

    services = site.services
    settings = Settings(greenlight_task_queue=f"turns-{uuid4()}")
    queue, sandbox = IndexQueue(services.pool), services.sandbox
    reading = Slow(queue, site.blobs, services.parser, sandbox.run, SHORT_TURN_SECONDS)
    indexer = Indexer(site.temporal, settings.greenlight_task_queue)
    storage = DocumentStorage(services.collections, queue, site.blobs, indexer)

    async def fill(tenant: str, count: int) -> None:
        owner = Principal(tenant_id=tenant)
        collection = await services.collections.make(owner, "full")
        for n in range(count):
            text = f"Pumps of {tenant} {n}.".encode()
            await storage.add(tenant, collection, NewDocument(f"{n}.txt", "text/plain", text))
        await storage.index(tenant)

    tenants = [f"turns-{n}" for n in range(MAX_INDEX_TURNS + 1)]
    async with build_index_worker(site.temporal, settings, [reading.index]):
        try:
            await asyncio.gather(*(fill(tenant, 30) for tenant in tenants))
            before = len(begun)
            await fill("lone", 1)
            lone = Principal(tenant_id="lone")
            async with asyncio.timeout(60):
                while not (await services.collections.get(lone, "full")).indexed:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            assert begun.index("lone") - before <= 2 * IN_A_TURN
        finally:
            for tenant in (*tenants, "lone"):
                await services.collections.delete(Principal(tenant_id=tenant), "full")
                await storage.delete_loose_blobs(tenant)
