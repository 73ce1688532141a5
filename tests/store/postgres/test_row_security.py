"""Row-level security: rows that the application's role can read and change without a tenant, and of other tenants."""

import re
from collections.abc import AsyncIterator
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

from contracts.errors import Conflict, StoreUnavailable
from store.postgres.database import MIGRATIONS, migrate
from store.postgres.pool import CONNECT, Pool, begin_for
from tests.conftest import Postgres
from tests.support.databases import as_owner, fetch_as_owner
from tests.support.words import pattern

Connection = psycopg.AsyncConnection[Any]

TABLES = sorted(
    table
    for path in MIGRATIONS.glob("*.sql")
    for table in re.findall(r"^CREATE TABLE (\w+)", path.read_text("utf-8"), re.MULTILINE)
)
WRITTEN = [table for table in TABLES if not table.startswith("audit_")]
VALUES = {
    "integer": "1",
    "bigint": "1",
    "numeric": "1",
    "boolean": "true",
    "jsonb": """'{{"bytes": 1}}'""",
    "bytea": "sha256('{tenant}')",
    "text[]": "'{{}}'",
    "timestamp with time zone": "now()",
    "tsvector": "''",
    "date": "now()",
}
"""A value for each type of a column that must have one; a text is the tenant's name."""
MORE = {"budgets": {"kind": "'user'", "day_usd": "1"}}
"""What else a row of a table must have."""

SWEEPS = {
    *("sweep_channels", "sweep_claims", "sweep_crew_agents", "sweep_due_channels"),
    *("sweep_due_runs", "sweep_loose_blobs", "sweep_old_alerts", "sweep_stale_files"),
    "sweep_unread_documents",
    "sweep_audit_heads",
}
"""Functions that name tenants and rows of them, and change nothing."""
BY_SECRET = {"find_key", "end_session"}
"""Functions that look for a key by the hash of its token, which names no tenant."""
AUDIT = ["audit_heads", "audit_log"]
"""Tables that the application reads alone; triggers write them."""
OWNERS = {"note_pause", "has_live_runs", "keys_exist", "sort_index_rows", "count_installation"}
"""Functions that answer for the installation in yes, no or counts, keep up its index, or note a pause in the current tenant."""
BY_INDEX = {"find_index_rows", "find_ticker_runs"}
"""Functions that compare the tenant by themselves, to use an index that row-level security forbids."""


@pytest.fixture(scope="module")
async def filled(postgres: Postgres, template: str) -> str:
    """A database with one row of `ours` and one of `theirs` in every table."""
    dsn = await postgres.database(template)
    async with await psycopg.AsyncConnection.connect(as_owner(dsn), **CONNECT) as connection:
        await connection.execute("SET session_replication_role = replica")  # no foreign keys
        for table in TABLES:
            for tenant in ("ours", "theirs"):
                await _insert(connection, table, tenant)
    return dsn


@pytest.fixture(scope="module")
async def connected(filled: str) -> AsyncIterator[Connection]:
    async with await psycopg.AsyncConnection.connect(filled) as connection:
        yield connection


@pytest.fixture
async def app(connected: Connection) -> AsyncIterator[Connection]:
    """The application's role, in a transaction that is rolled back."""
    yield connected
    await connected.rollback()


async def _insert(connection: Connection, table: str, tenant: str) -> int:
    """Insert a row of a tenant that has no more than what it must have."""
    columns = await connection.execute(
        """
        SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
        WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
            AND (attname = 'tenant_id' OR attnotnull AND NOT atthasdef AND attidentity = '')
        """,
        [table],
    )
    given = dict(await columns.fetchall())
    usual = {name: VALUES.get(of, "'{tenant}'") for name, of in given.items()}
    values = {n: v.format(tenant=tenant) for n, v in (usual | MORE.get(table, {})).items()}
    query = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(values.values())})"
    return (await connection.execute(query.encode())).rowcount


async def _count(connection: Connection, statement: str, table: str) -> int:
    query = sql.SQL(statement).format(sql.Identifier(table))
    return (await connection.execute(query)).rowcount


async def test_every_table_with_a_tenant_has_its_policies(filled: str) -> None:
    """A table added by a later migration must have them as well."""
    unprotected = await fetch_as_owner(
        filled,
        """
        SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
            AND a.attname LIKE '%%tenant%%' AND NOT (c.relrowsecurity AND c.relforcerowsecurity
                AND EXISTS (SELECT FROM pg_policies p WHERE p.tablename = c.relname AND cmd = 'ALL'
                    AND permissive = 'PERMISSIVE' AND roles = '{public}'
                    AND qual = '(tenant_id = NULLIF(current_setting(''app.tenant''::text, true), ''''::text))'
                    AND with_check = qual)
                AND (SELECT count(*) FROM pg_policies p WHERE p.tablename = c.relname) = 2)
        """,
    )
    assert unprotected == []
    of_nobody = await fetch_as_owner(
        filled,
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relrowsecurity",
    )
    assert of_nobody == ["migrations"]
    views = await fetch_as_owner(
        filled,
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relkind IN ('v', 'm') AND reloptions IS DISTINCT FROM '{security_invoker=true}'",
    )
    assert views == [], "a view reads as its owner, who sees all tenants"


@pytest.mark.parametrize("table", TABLES)
async def test_no_row_is_seen_without_a_tenant(app: Connection, table: str) -> None:
    assert await _count(app, "SELECT FROM {}", table) == 0
    await app.execute("SELECT set_config('app.tenant', '', true)")
    assert await _count(app, "SELECT FROM {}", table) == 0


@pytest.mark.parametrize("table", WRITTEN)
async def test_row_of_another_tenant_is_neither_read_nor_changed_nor_deleted(
    app: Connection, table: str
) -> None:
    await app.execute("SELECT set_config('app.tenant', 'ours', true)")
    assert await _count(app, "SELECT FROM {}", table) == 1
    assert await _count(app, "SELECT FROM {} WHERE tenant_id = 'theirs'", table) == 0
    assert await _count(app, "UPDATE {} SET tenant_id = tenant_id", table) == 1
    assert await _count(app, "DELETE FROM {} WHERE tenant_id = 'theirs'", table) == 0
    await app.execute("SELECT set_config('app.tenant', 'theirs', true)")
    assert await _count(app, "SELECT FROM {}", table) == 1


@pytest.mark.parametrize("table", WRITTEN)
async def test_row_of_another_tenant_is_not_written(app: Connection, table: str) -> None:
    await app.execute("SELECT set_config('app.tenant', 'third', true)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        await _insert(app, table, "fourth")
    await app.rollback()
    await app.execute("SELECT set_config('app.tenant', 'ours', true)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        await _count(app, "UPDATE {} SET tenant_id = 'fourth'", table)


@pytest.mark.parametrize("table", AUDIT)
@pytest.mark.parametrize(
    "statement", ["UPDATE {} SET seq = 9", "DELETE FROM {}", "INSERT INTO {} DEFAULT VALUES"]
)
async def test_application_reads_the_audit_log_of_its_tenant_and_writes_none(
    app: Connection, table: str, statement: str
) -> None:
    await app.execute("SELECT set_config('app.tenant', 'ours', true)")
    assert await _count(app, "SELECT FROM {}", table) == 1
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await _count(app, statement, table)


async def test_application_appends_nothing_of_its_own_to_the_audit_log(app: Connection) -> None:
    """A trigger's function on a table of its own would write what that table's rows say."""
    await app.execute("SELECT set_config('app.tenant', 'ours', true)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append_audit"):
        await app.execute("SELECT append_audit('ours', 'run.decided', 'r', '{}', 'boss', 'key-1')")
    await app.rollback()
    await app.execute("CREATE TEMP TABLE mine (tenant_id text, run_id text, body jsonb)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="note_decision"):
        await app.execute(
            "CREATE TRIGGER forge AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION note_decision()"
        )
    await app.rollback()
    await app.execute("SELECT set_config('app.tenant', 'ours', true)")
    await app.execute("SELECT note_pause('theirs', true)")
    assert await _count(app, "SELECT FROM {} WHERE action LIKE 'schedule%'", "audit_log") == 0


async def test_nobody_but_the_owner_makes_functions_that_run_as_the_owner(
    postgres: Postgres, template: str
) -> None:
    """Clusters older than PostgreSQL 15 let everybody create in `public`."""
    dsn = await postgres.database(template)
    await fetch_as_owner(dsn, "GRANT CREATE ON SCHEMA public TO PUBLIC")
    await migrate(as_owner(dsn), dsn)
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="public"):
            await connection.execute("CREATE FUNCTION public.mine() RETURNS int RETURN 1")


async def test_tenant_ends_with_its_statement(filled: str) -> None:
    """The tenant setting does not survive a statement on a pooled connection, not even after a failure."""
    count = "SELECT count(*) FROM runs"
    async with Pool(filled, max_size=1) as pool:
        assert await pool.fetch(count, {"tenant": "ours"}) == [1]
        assert await pool.fetch(count) == [0]
        with pytest.raises(psycopg.errors.DivisionByZero):
            await pool.fetch("SELECT 1 / 0 FROM runs", {"tenant": "theirs"})
        assert await pool.fetch(count) == [0]
        hostile = "'; SET app.tenant = 'theirs'; --"
        assert await pool.fetch(count, {"tenant": hostile}) == [0]
        assert await pool.fetch(count) == [0]


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE runs DISABLE ROW LEVEL SECURITY",
        "DROP POLICY of_tenant ON runs",
        "TRUNCATE runs",
        "SET ROLE greenlight",
        "SET session_replication_role = replica",
        "UPDATE migrations SET digest = ''",
        "CREATE TABLE mine (tenant_id text)",
        "ALTER ROLE CURRENT_USER BYPASSRLS",
    ],
)
async def test_application_cannot_free_itself(app: Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await app.execute(statement.encode())


async def _list_usable(dsn: str, condition: LiteralString = "true") -> set[str]:
    """Return the functions of the owner that the application's role may execute."""
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        found = await connection.execute(
            "SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
            f" AND prosecdef AND has_function_privilege(oid, 'EXECUTE') AND {condition}"
        )
        return {name for (name,) in await found.fetchall()}


async def test_functions_that_see_all_tenants_are_few_and_named(filled: str) -> None:
    found = await fetch_as_owner(
        filled,
        "SELECT jsonb_build_array(proname, proconfig, has_function_privilege('public', oid, 'EXECUTE'))"
        " FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef",
    )
    assert await _list_usable(filled) == SWEEPS | BY_SECRET | OWNERS | BY_INDEX
    path = ["search_path=public, pg_temp"]
    assert [name for name, *config in found if config != [path, False]] == []
    writing = await _list_usable(filled, "provolatile = 'v'")
    assert writing == BY_SECRET | {"note_pause", "sort_index_rows"}, "a sweep changes nothing"


async def test_functions_for_an_index_find_the_current_tenants_rows_alone(app: Connection) -> None:
    finds = "SELECT cardinality(find_index_rows('theirs', ''::tsquery || '!nothing'::tsquery))"
    for tenant, count in (("ours", 0), ("theirs", 1)):
        await app.execute(begin_for(tenant), prepare=False)
        assert await (await app.execute(finds)).fetchone() == (count,)
        runs = "SELECT count(*) FROM find_ticker_runs('theirs', 'X')"
        assert await (await app.execute(runs)).fetchone() == (0,)


async def test_role_that_is_not_bound_gets_no_connection(
    filled: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Pool(as_owner(filled)) as pool:
        with pytest.raises(StoreUnavailable):
            await pool.fetch("SELECT 1")
    assert "greenlight migrate" in caplog.text
    with pytest.raises(Conflict, match=pattern("role-unbound")):
        await migrate(as_owner(filled), as_owner(filled))
