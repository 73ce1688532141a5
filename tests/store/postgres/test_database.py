import asyncio
from typing import LiteralString
from urllib.parse import urlsplit

import pytest

from contracts.errors import Conflict
from store.postgres.database import FUNCTIONS, MIGRATIONS, migrate
from store.postgres.pool import Pool
from tests.conftest import Postgres
from tests.support.databases import as_owner, fetch_as_owner
from tests.support.words import pattern


async def test_many_may_migrate_at_once(postgres: Postgres) -> None:
    """Every file is applied once, in order; later calls find nothing to do."""
    dsn = await postgres.database()
    await asyncio.gather(*(migrate(as_owner(dsn), dsn) for _ in range(4)))
    await migrate(as_owner(dsn), dsn)
    async with Pool(dsn) as pool:
        applied = await fetch_as_owner(pool, "SELECT name FROM migrations ORDER BY applied_at")
        tables = await fetch_as_owner(
            pool, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
        )
        without_tenant = set(tables) - set(
            await fetch_as_owner(
                pool,
                "SELECT table_name::text FROM information_schema.columns"
                " WHERE column_name = 'tenant_id' AND table_schema = 'public'",
            )
        )
    files = sorted(path.name for path in MIGRATIONS.glob("*.sql"))
    functions = {f"functions/{path.name}" for path in FUNCTIONS.glob("*.sql")}
    assert (applied[: len(files)], set(applied[len(files) :])) == (files, functions)
    assert without_tenant == {"migrations"}


async def test_role_without_a_name_is_the_one_by_which_a_client_would_connect(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn = await postgres.database()
    place = urlsplit(dsn)
    monkeypatch.setenv("PGUSER", "app_by_environment")
    nameless = place._replace(netloc=f":secret@{place.hostname}:{place.port}").geturl()
    await migrate(as_owner(dsn), nameless)
    async with Pool(nameless) as pool:
        assert await pool.fetch("SELECT current_user::text") == ["app_by_environment"]


@pytest.mark.parametrize(
    "changed",
    [
        "UPDATE migrations SET digest = 'another'",
        "ALTER TABLE migrations DROP COLUMN digest",
        "INSERT INTO migrations (name, digest) VALUES ('9999_later.sql', 'another')",
    ],
    ids=["other statements", "from before they were compared", "a later version's"],
)
async def test_schema_of_another_version_is_refused_with_what_to_do(
    postgres: Postgres, changed: LiteralString
) -> None:
    dsn = await postgres.database()
    await migrate(as_owner(dsn), dsn)
    async with Pool(dsn) as pool:
        await fetch_as_owner(pool, changed)
    with pytest.raises(Conflict, match=pattern("schema-other")):
        await migrate(as_owner(dsn), dsn)


async def test_function_that_changed_is_replaced_and_the_others_are_left(
    postgres: Postgres,
) -> None:
    """As after an upgrade: a database made by another version has that version's functions."""
    dsn = await postgres.database()
    await migrate(as_owner(dsn), dsn)
    kept = "SELECT name, applied_at FROM migrations WHERE name <> 'functions/is_removed.sql'"
    async with Pool(dsn) as pool:
        await fetch_as_owner(
            pool,
            "CREATE OR REPLACE FUNCTION is_removed(tenant text, run text) RETURNS boolean"
            " LANGUAGE sql STABLE AS 'SELECT true'",
        )
        await fetch_as_owner(
            pool, "UPDATE migrations SET digest = 'earlier' WHERE name = 'functions/is_removed.sql'"
        )
        before = await fetch_as_owner(pool, kept)
        await migrate(as_owner(dsn), dsn)
        assert await fetch_as_owner(pool, "SELECT is_removed('default', 'none')") == [False]
        assert sorted(await fetch_as_owner(pool, kept)) == sorted(before)
