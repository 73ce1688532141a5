"""Measures indexing and searching a collection of long documents in a temporary store.

The PDF library's own time is that for the text alone, without rows, columns and raised signs: in one process, one
document after the other, and in as many processes as a worker reads documents in. Documents are indexed as a worker
does; the processor time is that of the reading processes, with their start, the wall time has PostgreSQL's too. On a
busy machine only the processor times can be compared.
"""

import resource
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from pypdfium2 import PdfDocument

from activities.collections.indexer import AT_ONCE, IndexActivities
from activities.collections.search import OwnDocumentSearch, rank_found
from activities.collections.storage import DocumentStorage, NewDocument
from activities.confined.call_pool import INDEXING, READING, CallPool
from activities.parsing.page_parser import PageParser
from contracts.access.principal import Principal
from contracts.collections import IndexRequest
from contracts.media_types import SUFFIXES
from domain.retrieval.row_ranking import RowKey
from greenlight.stack.ports import reserve_ports
from greenlight.stack.postgres import PostgresCluster
from store.blobs import BlobStore
from store.collections.documents import CollectionRepository
from store.collections.index import IndexRepository
from store.collections.queue import IndexQueue
from store.postgres.database import migrate
from store.postgres.pool import Pool

OWNER = Principal(tenant_id="bench", user_id="bench")
DOCUMENTS = 10
"""Documents that a search returns."""
TURN_SECONDS = 3_600.0

Times = dict[str, float]


class _NoIndexer:
    """Replaces Temporal's indexing workflow, because the measurement indexes the documents itself."""

    async def start(self, tenant_id: str) -> bool:
        return True


@dataclass
class BenchCollection:
    """The documents of a folder in a collection."""

    search: OwnDocumentSearch
    scope: str
    names: dict[str, str]
    """The name of each document without its suffix, by its id."""
    times: Times
    seconds: list[float] = field(default_factory=list)
    """Duration of each search."""

    async def rank(self, query: str) -> list[RowKey[str]]:
        """Return the rows that a search finds, best first; the search is timed with its passages."""
        begun = time.perf_counter()
        await self.search.search(OWNER.tenant_id, [self.scope], query, DOCUMENTS)
        self.seconds.append(time.perf_counter() - begun)
        found = await self.search.find(OWNER.tenant_id, [self.scope], query)
        return [(self.names[key], n - 1) for key, n in rank_found(query, found)]


def time_library(files: Iterable[Path]) -> Times:
    """Return how long the PDF library takes for the text: processor time, one process, several processes."""
    pdfs = [path for path in files if path.suffix.lower() == ".pdf"]
    with ProcessPoolExecutor(AT_ONCE, get_context("spawn")) as processes:
        list(processes.map(_start, range(AT_ONCE)))
        begun = time.perf_counter()
        list(processes.map(_read_alone, pdfs))
        side_by_side = time.perf_counter() - begun
    begun = time.perf_counter()
    busy = sum(map(_read_alone, pdfs))
    return {
        "library": busy,
        "library_wall": time.perf_counter() - begun,
        "library_side_by_side_wall": side_by_side,
    }


def _start(_: int) -> None:
    """Give a process time to start, so that each of them has."""
    time.sleep(0.5)


def _read_alone(path: Path) -> float:
    """Read the text of a PDF by the library alone; return the processor time of that."""
    begun = time.process_time()
    with PdfDocument(path.read_bytes()) as pdf:
        for page in pdf:
            text = page.get_textpage()
            text.get_text_range()
            text.close()
            page.close()
    return time.process_time() - begun


@asynccontextmanager
async def open_collection(files: Sequence[Path]) -> AsyncIterator[BenchCollection]:
    """Index files in a temporary store, which is deleted when the block ends."""
    with tempfile.TemporaryDirectory(prefix="greenlight-bench-") as home:
        cluster = PostgresCluster(Path(home))
        cluster.initialize()
        port = reserve_ports({"postgres": 0})["postgres"]
        server = cluster.make_server(port, Path(home) / "postgres.log")
        await server.start()
        try:
            await server.wait_until_ready(lambda: cluster.create_database(port))
            await migrate(cluster.owner_dsn(port), cluster.dsn(port))
            async with Pool(cluster.dsn(port)) as pool:
                times, scope = await _index(pool, files, Path(home) / "blobs")
                names = await pool.fetch(
                    "SELECT jsonb_build_array(id, name) FROM collection_documents"
                    " WHERE tenant_id = %(tenant)s",
                    {"tenant": OWNER.tenant_id},
                )
                stems = {key: Path(name).stem for key, name in names}
                sandbox = CallPool(*INDEXING)
                sandbox.warm()
                search = OwnDocumentSearch(IndexRepository(pool), sandbox.run)
                yield BenchCollection(search, scope, stems, times)
                await sandbox.close()
        finally:
            await server.stop()


async def _index(pool: Pool, files: Sequence[Path], folder: Path) -> tuple[Times, str]:
    """Index files as a worker does; return how long it took and the collection's id."""
    sandbox = CallPool(*READING, *INDEXING)
    sandbox.warm()
    collections, queue = CollectionRepository(pool), IndexQueue(pool)
    blobs = BlobStore(folder.as_uri())
    documents = DocumentStorage(collections, queue, blobs, _NoIndexer())  # type: ignore[arg-type]
    scope = await collections.make(OWNER, "bench")
    for path in files:
        given = NewDocument(path.name, SUFFIXES[path.suffix.lower()], path.read_bytes())
        await documents.add(OWNER.tenant_id, scope, given)
    reader = IndexActivities(queue, blobs, PageParser(pool=sandbox), sandbox.run, TURN_SECONDS)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    await reader.index(IndexRequest(tenant_id=OWNER.tenant_id))
    wall = time.perf_counter() - begun
    await sandbox.close()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = used.ru_utime + used.ru_stime - children.ru_utime - children.ru_stime
    return {"index": busy, "index_wall": wall}, scope
