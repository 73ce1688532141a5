"""List queries, and queries of every call or removal, never scan a growing table."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any, ClassVar, LiteralString

import psycopg
import pytest

from contracts.access.principal import Principal
from contracts.runs.request import FindRequest
from store.access.access_keys import KeyRepository
from store.calls.call_journal import CallClaim, Journal
from store.calls.spend import SpendRepository
from store.collections.index import SEARCH
from store.definitions import DefinitionRepository
from store.postgres.encoding import encode
from store.postgres.pool import CONNECT, Pool
from store.postgres.process_lease import Lease
from store.reuse.semantic_cache import QuestionRepository
from store.reuse.startup_companies import StartupRepository
from store.reuse.step_cache import StepCacheRepository
from store.run_records.event_log import EventRepository
from store.run_records.removals import RemovalRepository
from store.run_records.runs import RunQuery, RunRepository
from tests.conftest import Postgres
from tests.store.samples import (
    DEFINITION,
    ME,
    START,
    artifact,
    batch,
    event,
    made,
    opened,
    phase,
    similar,
    source,
    spec,
)
from tests.support.databases import as_owner, fetch_as_owner

ROWS = 10_000
RUN = "run-5001"
EACH = f"FROM generate_series(1, {ROWS}) n"
NOW = datetime(2026, 1, 2, tzinfo=UTC)

FILL = [
    "SET session_replication_role = replica",  # nothing is logged or summed up for each row
    f"""
    INSERT INTO runs (tenant_id, id, user_id, definition_id, request, opened, snapshot, usage,
                      status, started_at, ended_at, closed, last_seq)
    SELECT 'default', 'run-' || n, 'user-' || n % 300, 'definition-' || n % 10,
        jsonb_build_object('query', 'q', 'from_run', 'run-' || n / 10,
            'inputs', jsonb_build_object('ticker', 'T' || n % 1000,
                'tickers', jsonb_build_array('T' || n % 1000, 'BESIDE' || n % 1000))),
        CASE WHEN 'run-' || n = '{RUN}' THEN '{encode(opened())}'::jsonb END, '{{}}', '{{}}',
        CASE WHEN n % 30 = 0 THEN 'running' ELSE 'completed' END,
        timestamptz '2026-01-01' + n * interval '1 minute',
        CASE WHEN n % 30 <> 0 THEN timestamptz '2026-01-01' + n * interval '61 seconds' END,
        n % 30 <> 0, {ROWS} {EACH}""",
    f"""
    INSERT INTO events SELECT 'default', CASE WHEN n % 10 = 0 THEN '{RUN}' ELSE 'run-' || n END,
        n, 'w-' || n, jsonb_build_object('type', 'AgentInput', 'phase_id', 'p', 'at', '{START}'), ''
        {EACH}""",
    f"""
    INSERT INTO phase_executions (tenant_id, run_id, phase_id, status, body, cache_key, expires_at)
    SELECT 'default', 'run-' || n, 'p', 'completed', '{encode(phase("p"))}', md5(n::text),
        now() + n * interval '1 second' {EACH}""",
    f"""
    INSERT INTO sources SELECT 'default', 'run-' || n, 1, '{encode(source(1))}'::jsonb
        || jsonb_build_object('text_key', 'run-' || n || '/' || repeat('0', 64)) {EACH}""",
    f"""
    INSERT INTO artifacts SELECT 'default', 'run-' || n, 'a', 1, '{encode(artifact(1))}'::jsonb
        || jsonb_build_object('blob_key', 'run-' || n || '/' || repeat('1', 64)) {EACH}""",
    f"""
    INSERT INTO blob_references
    SELECT 'default', 'run-' || n, 'run-' || n || '/' || repeat(digit, 64)
    FROM generate_series(1, {ROWS}) AS n, unnest(ARRAY['0', '1']) AS digit""",
    f"""
    INSERT INTO calls (tenant_id, key, run_id, phase_id, attempt, plan_step, name, kind, model)
    SELECT 'default', md5(n::text), 'run-' || n, 'p', 1, '', 'turn', 'model', 'm' {EACH}""",
    f"""
    INSERT INTO removals SELECT 'default', 'gone-' || n, '', 'd', now(), true, '[]', '{{}}', now(),
        now() {EACH}""",
    f"""
    INSERT INTO definitions SELECT 'tenant-' || n % 300, 'definition-' || n, 1,
        '{encode(DEFINITION)}' {EACH}""",
    f"""
    INSERT INTO startups SELECT 'default', 'startup-' || n, 'user-' || n % 300, jsonb_build_object(
        'id', 'startup-' || n, 'name', 's', 'user_id', 'user-' || n % 300) {EACH}""",
    f"""
    INSERT INTO api_keys SELECT 'tenant-' || n % 300, 'key-' || n, 'u', '', 'gl_',
        sha256(n::text::bytea) {EACH}""",
    "SET default_statistics_target = 10",
    "ANALYZE",
]
GROWING = {
    *("runs", "events", "phase_executions", "sources", "artifacts", "calls", "removals"),
    *("definitions", "startups", "api_keys"),
}


@pytest.fixture(scope="module")
async def full(postgres: Postgres, template: str) -> str:
    """The dsn of a database with 10,000 rows in every table that grows."""
    dsn = await postgres.database(template)
    async with await psycopg.AsyncConnection.connect(as_owner(dsn), **CONNECT) as connection:
        for statement in FILL:
            await connection.execute(statement)
    return dsn


class ExplainingConnection(psycopg.AsyncConnection):
    """Explains each statement before it runs; notes those that would read a growing table whole."""

    explained: ClassVar[int] = 0
    scans: ClassVar[list[str]] = []
    indexes: ClassVar[set[str]] = set()

    async def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        if options.get("prepare") is False:  # the beginning of a tenant's transaction
            return await super().execute(query, params, **options)
        cursor = await super().execute(f"EXPLAIN (FORMAT JSON) {query}", params)
        [[[plan]]] = await cursor.fetchall()
        ExplainingConnection.explained += 1
        self.indexes.update(node.get("Index Name", "") for node in nodes(plan["Plan"]))
        self.scans.extend(
            f"{node['Relation Name']}: {query}"
            for node in nodes(plan["Plan"])
            if node["Node Type"] == "Seq Scan" and node["Relation Name"] in GROWING
        )
        return await super().execute(query, params, **options)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


@pytest.fixture
async def explaining(full: str) -> AsyncIterator[Pool]:
    ExplainingConnection.explained = 0
    ExplainingConnection.scans.clear()
    ExplainingConnection.indexes.clear()
    async with Pool(full, max_size=1, connection_class=ExplainingConnection) as pool:
        yield pool


async def read_pages(pool: Pool, filters: RunQuery, principal: Principal = ME) -> None:
    """Read the first page of runs and two after it."""
    runs, cursor = RunRepository(pool), None
    for _ in range(3):
        page = await runs.list_page(
            principal, filters.model_copy(update={"cursor": cursor, "limit": 20})
        )
        if (cursor := page.next_cursor) is None:
            break


ANN = Principal(user_id="user-7")
TENANT = Principal(tenant_id="tenant-7")
PAGES = {
    "all": RunQuery(),
    "ticker": RunQuery(ticker="t7"),
    "ticker of one beside the first": RunQuery(ticker="BESIDE7"),
    "definition": RunQuery(definition_id="definition-7"),
    "parent": RunQuery(parent="run-7"),
    "running": RunQuery(status="running"),
    "completed": RunQuery(status="completed"),
    "a status none has": RunQuery(status="rejected"),
    "user": RunQuery(user_id="user-7"),
    "a user's completed": RunQuery(user_id="user-7", status="completed"),
    "nobody's": RunQuery(ticker="none", user_id="nobody", status="completed"),
}
Read = Callable[[Pool], Awaitable[object]]
READS: dict[str, Read] = {
    "runs of one user's key": lambda pool: read_pages(pool, RunQuery(), ANN),
    "run and children": lambda pool: RunRepository(pool).get(ME, RUN),
    "phases": lambda pool: RunRepository(pool).list_phases(ME, RUN),
    "sources": lambda pool: RunRepository(pool).list_sources(ME, RUN),
    "artifacts": lambda pool: RunRepository(pool).list_artifacts(ME, RUN),
    "events": lambda pool: EventRepository(pool).read(ME, RUN, after=200),
    "newest events": lambda pool: EventRepository(pool).read(ME, RUN, tail=20),
    "conversation": lambda pool: EventRepository(pool).read(
        ME, RUN, types=["Status"], phases=["p"], limit=50
    ),
    "patches": lambda pool: EventRepository(pool).read(ME, RUN, patches=True, until=ROWS),
    "completed phases": lambda pool: EventRepository(pool).read(
        ME, RUN, types=["step_complete"], until=ROWS
    ),
    "model uses": lambda pool: SpendRepository(pool).list_usage(ME, RUN),
    "definitions": lambda pool: DefinitionRepository(pool, {}).list(TENANT),
    "versions": lambda pool: DefinitionRepository(pool, {}).list_versions(TENANT, "definition-7"),
    "startups": lambda pool: StartupRepository(pool).list(ME, "user-7"),
    "keys": lambda pool: KeyRepository(pool).list(TENANT),
    "step cache": lambda pool: StepCacheRepository(pool).find(
        FindRequest(tenant_id="default", user_id="user-7", run_id=RUN, cache_key="0" * 32)
    ),
    "questions": lambda pool: QuestionRepository(pool).list_similar(similar(RUN), 0.9),
    "unread questions": lambda pool: QuestionRepository(pool).list_unembedded(similar(RUN), "e"),
    "removals due": lambda pool: RemovalRepository(pool).list_due(NOW, NOW, 10),
    "unneeded blobs": lambda pool: RemovalRepository(pool).find_unneeded_blobs(
        "default", RUN, [f"{RUN}/{n:064x}" for n in range(50)]
    ),
}


@pytest.mark.parametrize("filters", PAGES.values(), ids=PAGES)
async def test_page_of_runs_is_read_by_index(explaining: Pool, filters: RunQuery) -> None:
    await read_pages(explaining, filters)
    assert ExplainingConnection.explained
    assert ExplainingConnection.scans == []


async def test_runs_on_a_company_are_looked_up_not_picked_out_of_all(explaining: Pool) -> None:
    before = await used_indexes(explaining)
    await read_pages(explaining, RunQuery(ticker="BESIDE7"))
    assert "runs_ticker_keys_idx" in await used_indexes(explaining) - before


@pytest.mark.parametrize("read", READS.values(), ids=READS)
async def test_list_is_read_by_index(explaining: Pool, read: Read) -> None:
    await read(explaining)
    assert ExplainingConnection.explained
    assert ExplainingConnection.scans == []


@pytest.mark.parametrize("statistics", ["none", "of an empty table"])
async def test_words_of_own_documents_are_looked_up_by_index_before_any_statistics(
    postgres: Postgres, template: str, statistics: str
) -> None:
    """A collection is searched right after it is read, before PostgreSQL analyzes it by itself."""
    dsn = await postgres.database(template)
    asked = {"tenant": "t", "scopes": ["c"], "terms": ["w"], "weights": [1.0], "most": 10}
    async with await psycopg.AsyncConnection.connect(as_owner(dsn), **CONNECT) as connection:
        await connection.execute("ALTER TABLE index_rows SET (autovacuum_enabled = off)")
        if statistics != "none":
            await connection.execute("ANALYZE index_rows")
        await connection.execute(MANY_ROWS)
    async with Pool(dsn, max_size=1) as pool:
        await pool.fetch(SEARCH, asked | {"queries": ["'@c' & 'w7'"]})
        assert "index_rows_words" in await used_indexes(pool)


MANY_ROWS: LiteralString = """
    INSERT INTO index_rows OVERRIDING SYSTEM VALUE
    SELECT n, 't', 'c', n / 100, mod(n, 100), 1, 0, 1, '', '', '', 1, '{}', '{}',
        array_to_tsvector(ARRAY['@c', 'w' || mod(n, 50)])
    FROM generate_series(1, 20000) AS n"""


async def test_recording_calls_and_removals_scan_no_table(full: str) -> None:
    """EXPLAIN does not look into functions, so this uses PostgreSQL's own scan counters."""
    async with Pool(full, max_size=1) as pool, Lease(full) as lease:
        await lease.held.wait()
        runs, journal = RunRepository(pool), Journal(pool, lease)
        before = await scans(pool)
        cached = phase("p").model_copy(update={"cache_key": "c", "expires_at": START})
        await runs.record(batch("new", 1, phases=[cached], sources=[source(1)]))
        await runs.record(batch("new", 2, events=[event("end", type="workflow_complete")]))
        claim = await journal.claim(spec("new"))
        assert isinstance(claim, CallClaim)
        await journal.settle(claim, made(await journal.sum_usage("default", "new")))
        await RemovalRepository(pool).remove(ME, "new")
        assert await scans(pool) == before


async def used_indexes(pool: Pool) -> Counter[str]:
    """Return how often each index was used: PostgreSQL counts it within functions too."""
    async with pool.connection() as connection:  # the one that has used them
        await connection.execute("SELECT pg_stat_force_next_flush()")
    found = await fetch_as_owner(
        pool, "SELECT jsonb_build_array(indexrelname, idx_scan) FROM pg_stat_user_indexes"
    )
    return Counter({name: count for name, count in found if count})


async def scans(pool: Pool) -> dict[str, int]:
    """Return how often each growing table was read whole."""
    await pool.fetch("SELECT pg_stat_force_next_flush()")
    found = await fetch_as_owner(
        pool, "SELECT jsonb_build_array(relname, seq_scan) FROM pg_stat_user_tables"
    )
    return {table: count for table, count in found if table in GROWING}
