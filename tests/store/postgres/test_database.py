import asyncio
from typing import LiteralString

import pytest

from contracts.errors import Conflict
from store.postgres.database import MIGRATIONS, migrate
from store.postgres.pool import Pool
from tests.conftest import Postgres
from tests.words import pattern


async def test_many_may_migrate_at_once(postgres: Postgres) -> None:
    """Every file is applied once, in order; later calls find nothing to do."""
    dsn = await postgres.database()
    await asyncio.gather(*(migrate(dsn) for _ in range(4)))
    await migrate(dsn)
    async with Pool(dsn) as pool:
        applied = await pool.fetch("SELECT name FROM migrations ORDER BY applied_at")
        tables = await pool.fetch(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
        )
        without_tenant = set(tables) - set(
            await pool.fetch(
                "SELECT table_name::text FROM information_schema.columns"
                " WHERE column_name = 'tenant_id' AND table_schema = 'public'",
            )
        )
    assert applied == sorted(path.name for path in MIGRATIONS.glob("*.sql"))
    assert without_tenant == {"migrations"}


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
    await migrate(dsn)
    async with Pool(dsn) as pool:
        await pool.fetch(changed)
    with pytest.raises(Conflict, match=pattern("schema-other")):
        await migrate(dsn)
